import type { Operation } from '@till/contract';
import type { Ajv } from 'ajv';
import type { FastifyRequest } from 'fastify';
import { cleanBody, ignoredBody, ignoredBodyFields, type JsonObject, parseBody } from './body.ts';
import { fieldsNotKept } from './ignored-fields.ts';
import { refuseMisplacedCardNumber } from './misplaced-card.ts';
import { prune } from './prune.ts';
import { coerceQuery } from './query.ts';
import { readUpload, type Upload } from './upload.ts';
import { refusal } from './validate.ts';

/** What of an operation says how its request is read. */
export type InputRules = Pick<
  Operation,
  | 'id'
  | 'query'
  | 'body'
  | 'upload'
  | 'missingFields'
  | 'codes'
  | 'keepsNull'
  | 'lenientFields'
  | 'cardNumberField'
>;

/** What is known of the client that sent a request. */
export interface Client {
  readonly ip: string;
  readonly userAgent: string | null;
  readonly accept: string | null;
}

/**
 * Reads and checks the requests of one operation by the contract's schemas. Each is compiled once, by the first request
 * that needs it: to compile all of them takes longer than the rest of a start.
 */
export class InputReader {
  readonly #ajv: Ajv;
  readonly #rules: InputRules;
  readonly #lenient: ReadonlyMap<string, object>;

  constructor(ajv: Ajv, rules: InputRules) {
    this.#ajv = ajv;
    this.#rules = rules;
    const { properties = {} }: { properties?: Readonly<Record<string, object>> } = rules.body ?? {};
    this.#lenient = new Map((rules.lenientFields ?? []).map((field) => [field, properties[field] ?? {}]));
  }

  /** The body as it came. @throws ApiError `missing_field` for what is no JSON object */
  raw(request: FastifyRequest): JsonObject {
    const raw = request.body as Buffer | undefined;
    // Operations without a body ignore one, whatever its type; it only counts for the fingerprint.
    return this.#rules.body === undefined ? ignoredBody(raw) : parseBody(raw, request.headers);
  }

  /** What the operation's schema names of the body. @throws ApiError `missing_field`, `invalid_params` and the like */
  body(raw: JsonObject): unknown {
    const { body: schema, missingFields, codes, cardNumberField } = this.#rules;
    if (schema === undefined) return undefined;
    const body = cleanBody(raw, this.#rules);
    for (const [field, lenient] of this.#lenient) {
      if (Object.hasOwn(body, field) && !this.#ajv.compile(lenient)(body[field])) delete body[field];
    }
    // Before anything else is said of the body, so that no answer and no log repeats the number.
    if (cardNumberField !== undefined) refuseMisplacedCardNumber(body, cardNumberField);
    const validate = this.#ajv.compile(schema);
    if (!validate(body)) throw refusal(validate, missingFields ?? [], codes);
    return prune(this.#ajv, schema, body);
  }

  /** Paths of the fields that were sent and mean nothing here. @param body as `body` returned it */
  ignored(raw: JsonObject, body: unknown): string[] {
    // Of an address that cannot be used nothing is said: it is dropped silently (decisions, "Customers").
    return fieldsNotKept(raw, body).filter((path) => !this.#lenient.has(/^[^.[]*/.exec(path)?.[0] ?? ''));
  }

  /** Names of the body's fields where the operation takes no body, such as the method or amount of a confirm elsewhere. */
  ignoredBody(request: FastifyRequest): string[] {
    const { body, upload } = this.#rules;
    return body === undefined && upload === undefined
      ? ignoredBodyFields(request.body as Buffer | undefined)
      : [];
  }

  /** Names of the query's parameters that mean nothing here, such as a misspelt filter. */
  ignoredParameters(request: FastifyRequest): string[] {
    const { properties = {} }: { properties?: Readonly<Record<string, object>> } = this.#rules.query ?? {};
    return Object.keys(request.query as object).filter((name) => !Object.hasOwn(properties, name));
  }

  /** @throws ApiError `invalid_params` */
  query(request: FastifyRequest): unknown {
    const { query: schema } = this.#rules;
    if (schema === undefined) return undefined;
    const query = coerceQuery(schema, request.query as Record<string, string | string[]>);
    const validate = this.#ajv.compile(schema);
    if (!validate(query)) throw refusal(validate, []);
    return query;
  }

  /** @throws ApiError `missing_field`, `body_too_large`, `invalid_params` */
  upload(request: FastifyRequest): Promise<Upload> {
    if (this.#rules.upload === undefined) throw new Error(`${this.#rules.id} takes no file`);
    return readUpload(request, this.#rules.upload);
  }
}

export function clientOf(request: FastifyRequest): Client {
  return {
    ip: request.ip,
    userAgent: request.headers['user-agent'] ?? null,
    accept: request.headers.accept ?? null,
  };
}
