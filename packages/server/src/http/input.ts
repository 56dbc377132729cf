import type { Operation } from '@till/contract';
import type { Ajv, ValidateFunction } from 'ajv';
import type { FastifyRequest } from 'fastify';
import { cleanBody, type JsonObject, parseBody } from './body.ts';
import { prune } from './prune.ts';
import { coerceQuery } from './query.ts';
import { readUpload, type Upload } from './upload.ts';
import { refusal } from './validate.ts';

/** What of an operation says how its request is read. */
export type InputRules = Pick<
  Operation,
  'id' | 'query' | 'body' | 'upload' | 'missingFields' | 'codes' | 'keepsNull' | 'lenientFields'
>;

export interface Client {
  readonly ip: string;
  readonly userAgent: string | null;
  readonly accept: string | null;
}

/** Reads and checks the requests of one operation by the contract's schemas, compiled once. */
export class InputReader {
  readonly #ajv: Ajv;
  readonly #rules: InputRules;
  readonly #validateBody: ValidateFunction | undefined;
  readonly #validateQuery: ValidateFunction | undefined;

  constructor(ajv: Ajv, rules: InputRules) {
    this.#ajv = ajv;
    this.#rules = rules;
    this.#validateBody = rules.body && ajv.compile(rules.body);
    this.#validateQuery = rules.query && ajv.compile(rules.query);
  }

  /** The body as it came. @throws ApiError `missing_field` for what is no JSON object */
  raw(request: FastifyRequest): JsonObject {
    const raw = request.body as Buffer | undefined;
    // Operations without a body ignore one, whatever its type; it only counts for the fingerprint.
    if (this.#rules.body === undefined) return raw === undefined ? {} : { raw: raw.toString('base64') };
    return parseBody(raw, request.headers['content-type']);
  }

  /** What the operation's schema names of the body. @throws ApiError `missing_field`, `invalid_params` and the like */
  body(raw: JsonObject): unknown {
    const { body: schema, keepsNull, lenientFields, missingFields, codes } = this.#rules;
    const validate = this.#validateBody;
    if (validate === undefined || schema === undefined) return undefined;
    const body = cleanBody(raw, keepsNull ?? false);
    const checked = { ...body };
    for (const field of lenientFields ?? []) delete checked[field];
    if (!validate(checked)) throw refusal(validate, missingFields ?? [], codes);
    return prune(this.#ajv, schema, body);
  }

  /** @throws ApiError `invalid_params` */
  query(request: FastifyRequest): unknown {
    const validate = this.#validateQuery;
    if (validate === undefined || this.#rules.query === undefined) return undefined;
    const query = coerceQuery(this.#rules.query, request.query as Record<string, string | string[]>);
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
