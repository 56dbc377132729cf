import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { WireRequest } from './transport.ts';

interface Found {
  readonly name: string;
  readonly document: WireDocument;
  readonly template: string;
  readonly operation: Operation;
}

interface Parameter {
  readonly name?: string;
  readonly in?: string;
  readonly required?: boolean;
  readonly $ref?: string;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly $ref?: string; readonly content?: Record<string, unknown> };
}

interface WireDocument {
  readonly paths: Record<string, Record<string, Operation> & { parameters?: readonly Parameter[] }>;
}

const folder = new URL('../../../../../../shared/upstream/', import.meta.url);

const fileOf = (name: string) => fileURLToPath(new URL(`${name}.openapi.json`, folder));

const pointer = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));

/** Resolves a parameter's `$ref`. */
function resolve(document: WireDocument, parameter: Parameter): Parameter {
  if (parameter.$ref === undefined) return parameter;
  let found: unknown = document;
  for (const part of parameter.$ref.slice(2).split('/')) {
    found = (found as Record<string, unknown>)[part.replaceAll('~1', '/')];
  }
  return found as Parameter;
}

/** The upstream's own API documents combined into one description of its API; for tests. */
class Wire {
  readonly present: boolean;
  /** Shows in test reports when a document was missing. */
  readonly title: string;
  readonly #places: Readonly<Record<string, string>>;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true, unicodeRegExp: false, logger: false });
  readonly #documents = new Map<string, WireDocument>();

  constructor(places: Readonly<Record<string, string>>) {
    this.#places = places;
    const missing = Object.keys(places)
      .map(fileOf)
      .filter((file) => !existsSync(file));
    this.present = missing.length === 0;
    this.title = this.present ? "the upstream's documents" : `skipped: no ${missing.join(', ')}`;
  }

  load(): void {
    formats.default(this.#ajv);
    for (const name of Object.keys(this.#places)) {
      const document = JSON.parse(readFileSync(fileOf(name), 'utf8')) as WireDocument;
      this.#documents.set(name, document);
      this.#ajv.addSchema(document, name);
    }
  }

  /** The violations of the documents in a request; empty if there are none. */
  faultsOf(request: WireRequest): string[] {
    const found = this.#find(request);
    if (found === undefined) return [`no document knows ${request.method} ${request.url}`];
    const { document, template, operation } = found;
    const parameters = [...(document.paths[template]?.parameters ?? []), ...(operation.parameters ?? [])].map(
      (one) => resolve(document, one),
    );
    const known = (place: string) => parameters.filter((one) => one.in === place);
    const faults = [...new URL(request.url).searchParams.keys()]
      .filter((one) => !known('query').some((parameter) => parameter.name === one))
      .map((one) => `${template} takes no ${one} in its query`);
    for (const { name: header = '', required } of known('header')) {
      if (required === true && request.headers[header.toLowerCase()] === undefined) {
        faults.push(`${template} wants the header ${header}`);
      }
    }
    return [...faults, ...this.#bodyFaults(found, request)];
  }

  /** Finds the documented operation of a request. */
  #find({ method, url }: WireRequest): Found | undefined {
    for (const [name, document] of this.#documents) {
      const place = this.#places[name] ?? '';
      if (!url.startsWith(place)) continue;
      const path = new URL(url).pathname.slice(new URL(place).pathname.replace(/\/$/, '').length);
      // A path without a variable takes precedence over one with a variable.
      const templates = Object.keys(document.paths).toSorted(
        (a, b) => a.split('{').length - b.split('{').length,
      );
      for (const template of templates) {
        const pattern = template.replaceAll('.', '\\.').replaceAll(/\{[^}]+\}/g, '[^/]+');
        const operation = document.paths[template]?.[method.toLowerCase()];
        if (operation !== undefined && new RegExp(`^${pattern}$`).test(path)) {
          return { name, document, template, operation };
        }
      }
    }
    return undefined;
  }

  /** The violations in a JSON body. */
  #bodyFaults({ name, template, operation }: Found, request: WireRequest): string[] {
    const isJson = request.headers['content-type'] === 'application/json';
    if (!isJson || request.body.length === 0) return [];
    const { requestBody } = operation;
    // An empty object is equivalent to no body.
    const isEmpty = request.body.toString() === '{}';
    if (requestBody === undefined) return isEmpty ? [] : [`${template} takes no body`];
    if (requestBody.content?.['application/json'] === undefined) return [];
    const at = [
      'paths',
      template,
      request.method.toLowerCase(),
      'requestBody',
      'content',
      'application/json',
    ];
    const valid = this.#ajv.compile({ $ref: `${name}#/${at.map(pointer).join('/')}/schema` });
    valid(JSON.parse(request.body.toString()));
    return (valid.errors ?? []).map((error) => `${template}${error.instancePath} ${error.message}`);
  }
}

/**
 * Loads the documents. We may not distribute them; where they are available they lie next to the repository.
 * @param places where each document's paths begin, by its name
 */
export const wireOf = (places: Readonly<Record<string, string>>) => new Wire(places);
