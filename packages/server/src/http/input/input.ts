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

/** The parts of an operation that define how its request is read. */
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

/** The client that sent a request. */
export interface Client {
  readonly ip: string;
  readonly userAgent: string | null;
  readonly accept: string | null;
}

/**
 * Reads and validates the requests of one operation with the contract's schemas. Each schema is compiled once, by the first
 * request that needs it, because compiling all of them takes longer than the rest of the start.
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

  /** The body as sent. @throws ApiError `missing_field` if it is not a JSON object */
  raw(request: FastifyRequest): JsonObject {
    const raw = request.body as Buffer | undefined;
    // Operations without a body ignore a sent one, of any type. It only counts for the fingerprint.
    return this.#rules.body === undefined ? ignoredBody(raw) : parseBody(raw, request.headers);
  }

  /** The valid fields of the body that the operation's schema names. @throws ApiError `missing_field`, `invalid_params` etc. */
  body(raw: JsonObject): unknown {
    const { body: schema, missingFields, codes, cardNumberField } = this.#rules;
    if (schema === undefined) return undefined;
    const body = cleanBody(raw, this.#rules);
    for (const [field, lenient] of this.#lenient) {
      if (Object.hasOwn(body, field) && !this.#ajv.compile(lenient)(body[field])) delete body[field];
    }
    // Before any other check of the body, so that no response and no log repeats the number.
    if (cardNumberField !== undefined) refuseMisplacedCardNumber(body, cardNumberField);
    const validate = this.#ajv.compile(schema);
    if (!validate(body)) throw refusal(validate, missingFields ?? [], codes);
    return prune(this.#ajv, schema, body);
  }

  /** The paths of the sent fields that have no meaning here. @param body the result of `body` */
  ignored(raw: JsonObject, body: unknown): string[] {
    // Lenient fields, such as a malformed address, are dropped silently (decisions, "Customers").
    return fieldsNotKept(raw, body).filter((path) => !this.#lenient.has(/^[^.[]*/.exec(path)?.[0] ?? ''));
  }

  /** The names of body fields that were sent to an operation without a body, e.g. the amount that other APIs' confirm takes. */
  ignoredBody(request: FastifyRequest): string[] {
    const { body, upload } = this.#rules;
    return body === undefined && upload === undefined
      ? ignoredBodyFields(request.body as Buffer | undefined)
      : [];
  }

  /** The names of query parameters that have no meaning here, such as a misspelt filter. */
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
