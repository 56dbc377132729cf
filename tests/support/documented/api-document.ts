import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** A request and its response as they were transmitted. */
export interface HttpExchange {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  readonly requestHeaders: Headers;
  /** Undefined if there was no body, or if it is not text. */
  readonly requestBody: string | undefined;
  readonly status: number;
  readonly contentType: string;
  /** Undefined for a stream that is not read to its end. */
  readonly answer: string | undefined;
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly [keyword: string]: unknown;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Answer {
  readonly description: string;
  readonly content?: Readonly<Record<string, unknown>>;
}

interface DocumentedOperation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
  readonly responses: Readonly<Record<string, Answer>>;
}

/** The part of an OpenAPI document that these checks use. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Marks a field that the server drops if it is malformed. */
const lenient = 'x-ignored-where-malformed';

function createAjv(document: object): Ajv2020 {
  // Each schema validates only a few exchanges: optimizing the code, or inlining every $ref, takes longer
  // than it saves.
  const fewUses = { inlineRefs: false, code: { optimize: false } } as const;
  const ajv = new Ajv2020({ ...fewUses, strict: false, allErrors: true, logger: false });
  (addFormats as unknown as { default: (ajv: Ajv2020) => void }).default(ajv);
  // The server's own tests check these formats, which the document describes only in words.
  for (const format of ['https-url', 'ip']) ajv.addFormat(format, true);
  ajv.addSchema(document, 'openapi.json');
  return ajv;
}

/**
 * Returns the path of a request target in any of its forms: absolute URL, percent-encoded, with a fragment.
 */
function pathOf(target: string): string {
  const [path = ''] = target.replace(/^https?:\/\/[^/]*/, '').split(/[?#]/, 1);
  return path
    .split('/')
    .map((segment) => segment.replaceAll(/%([0-7][0-9a-f])/gi, (_escape, hex: string) => unescaped(hex)))
    .join('/');
}

/** Keeps a slash escaped, since it would otherwise end the segment. */
const unescaped = (hex: string) => {
  const letter = String.fromCharCode(Number.parseInt(hex, 16));
  return letter === '/' ? '%2F' : letter;
};

/** Copies the document so that objects allow no undocumented fields. */
const closed = (document: ApiDocument): object =>
  JSON.parse(JSON.stringify(document), (_key, value: unknown) =>
    typeof value === 'object' && value !== null && 'properties' in value && !('additionalProperties' in value)
      ? { ...value, additionalProperties: false }
      : value,
  );

const words = (errors: readonly ErrorObject[] | null | undefined) =>
  (errors ?? [])
    .slice(0, 5)
    .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
    .join('; ');

/** Converts a query parameter to the type that its schema expects. */
const parameterValue = (text: string, { type }: Schema) =>
  type === 'integer' && /^-?\d+$/.test(text) ? Number(text) : text;

/** Compares exchanges with the OpenAPI document that describes them. */
export class DocumentedApi {
  readonly #document: ApiDocument;
  readonly #ajv: Ajv2020;
  readonly #closedAjv: Ajv2020;
  readonly #compiled = new Map<string, ValidateFunction>();
  readonly #paths: readonly (readonly [pattern: RegExp, path: string])[];

  constructor(document: ApiDocument) {
    this.#document = document;
    this.#ajv = createAjv(document);
    this.#closedAjv = createAjv(closed(document));
    this.#paths = Object.keys(document.paths)
      // Concrete paths match before those with parameters (OpenAPI 3.1, "Path Templating Matching").
      .toSorted((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
      .map((path) => [new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`), path]);
  }

  /** Returns how an exchange deviates from the document. Empty if it conforms. */
  faults(exchange: HttpExchange): string[] {
    const pathname = pathOf(exchange.url);
    const path = this.#paths.find(([pattern]) => pattern.test(pathname))?.[1];
    // HEAD is GET without the body (RFC 9110, 9.3.2).
    const method = exchange.method === 'HEAD' ? 'get' : exchange.method.toLowerCase();
    const operation = path === undefined ? undefined : this.#document.paths[path]?.[method];
    const found =
      path === undefined || operation === undefined
        ? this.#undocumented(exchange)
        : [
            ...this.#answerFaults(exchange, [path, method], operation),
            ...(exchange.status < 300 ? this.#requestFaults(exchange, [path, method], operation) : []),
          ];
    return found.map((fault) => `${exchange.method} ${path ?? pathname} → ${exchange.status}: ${fault}`);
  }

  /** Requests to undocumented paths or methods must fail. */
  #undocumented({ status, method }: HttpExchange): string[] {
    const refusals = [400, 404, 405, 408, 414, 431, 503];
    return refusals.includes(status) ? [] : [`${method} is not documented here`];
  }

  #answerFaults(
    { status, contentType, answer }: HttpExchange,
    [path, method]: readonly [string, string],
    { responses }: DocumentedOperation,
  ): string[] {
    const code = errorCode(answer);
    const listed = responses[status] === undefined ? 'default' : String(status);
    const documented = responses[listed];
    if (documented === undefined || (listed === 'default' && status < 400)) {
      return ['status is not documented'];
    }
    // Errors that occur before routing are documented under `default`, whatever their status.
    const codes = `${documented.description} ${responses.default?.description}`;
    if (code !== undefined && !codes.includes(`\`${code}\``)) {
      return [`error code ${code} is not documented for this status`];
    }
    const [mediaType = ''] = contentType.split(';', 1);
    if (documented.content?.[mediaType] === undefined) return [`content type ${mediaType} is not documented`];
    if (mediaType !== 'application/json' || answer === undefined || answer === '') return [];
    const schema = ['paths', path, method, 'responses', listed, 'content', mediaType, 'schema'];
    const validate = this.#compile(this.#closedAjv, 'answer', schema);
    return validate(JSON.parse(answer)) ? [] : [`answer: ${words(validate.errors)}`];
  }

  /** A request that the server accepts must be valid according to the document. */
  #requestFaults(
    { url, requestHeaders, requestBody }: HttpExchange,
    [path, method]: readonly [string, string],
    operation: DocumentedOperation,
  ): string[] {
    const query = new URLSearchParams(url.split('?')[1] ?? '');
    const given = (parameter: Parameter) => {
      if (parameter.in === 'query') return query.get(parameter.name);
      return parameter.in === 'header' ? requestHeaders.get(parameter.name) : undefined;
    };
    const faults = (operation.parameters ?? []).flatMap((parameter, index) => {
      const text = given(parameter);
      if (text === undefined) return [];
      if (text === null) return parameter.required === true ? [`${parameter.name} is required`] : [];
      const schema = ['paths', path, method, 'parameters', String(index), 'schema'];
      const validate = this.#compile(this.#ajv, 'request', schema);
      return validate(parameterValue(text, parameter.schema))
        ? []
        : [`${parameter.name}: ${words(validate.errors)}`];
    });
    return [...faults, ...this.#bodyFaults(requestBody, requestHeaders, [path, method], operation)];
  }

  #bodyFaults(
    body: string | undefined,
    headers: Headers,
    [path, method]: readonly [string, string],
    { requestBody }: DocumentedOperation,
  ): string[] {
    const [mediaType = ''] = (headers.get('content-type') ?? '').split(';', 1);
    // Chunked bodies are not assembled here.
    if (requestBody === undefined || headers.has('transfer-encoding')) return [];
    if (body === undefined || body === '') {
      return requestBody.required === true && requestBody.content[mediaType] === undefined
        ? ['body is required']
        : [];
    }
    const content = requestBody.content[mediaType.toLowerCase()];
    if (content === undefined) return [`a body of ${mediaType} is not documented`];
    if (mediaType.toLowerCase() !== 'application/json') return [];
    const value = JSON.parse(body) as Record<string, unknown>;
    for (const field of this.#lenientFields(content.schema)) delete value[field];
    const schema = ['paths', path, method, 'requestBody', 'content', 'application/json', 'schema'];
    const validate = this.#compile(this.#ajv, 'request', schema);
    return validate(value) ? [] : [`accepted body: ${words(validate.errors)}`];
  }

  #lenientFields(schema: Schema): string[] {
    const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined;
    const { properties = {} } = (name === undefined ? schema : this.#document.components.schemas[name]) ?? {};
    return Object.entries(properties).flatMap(([field, value]) => (value[lenient] === true ? [field] : []));
  }

  #compile(ajv: Ajv2020, use: string, way: readonly string[]): ValidateFunction {
    const pointer = way
      .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
      .join('/');
    const known = this.#compiled.get(`${use} ${pointer}`);
    if (known !== undefined) return known;
    const compiled = ajv.compile({ $ref: `openapi.json#/${pointer}` });
    this.#compiled.set(`${use} ${pointer}`, compiled);
    return compiled;
  }
}

/** Returns the code of an error response. */
function errorCode(answer: string | undefined): string | undefined {
  if (answer === undefined || !answer.startsWith('{"error":')) return undefined;
  return (JSON.parse(answer) as { error: { code?: string } }).error.code;
}
