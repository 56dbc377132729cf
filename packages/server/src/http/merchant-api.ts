import { ApiError, type Operation } from '@till/contract';
import type { Ajv, ValidateFunction } from 'ajv';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { errorText } from './app.ts';
import { presentedKey } from './authenticate.ts';
import { cleanBody, type JsonObject, parseBody } from './body.ts';
import { documentedSchema } from './openapi.ts';
import { prune } from './prune.ts';
import { coerceQuery } from './query.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { Serializers } from './serialize.ts';
import { refusal } from './validate.ts';

/** Who calls, as the authentication knows it. Features add what they need of the account. */
export interface CallerIdentity {
  readonly accountId: string;
  readonly livemode: boolean;
  readonly keyId: string;
}

/** What to do with a request that carries an `Idempotency-Key`. */
export type Found<Claim> =
  | { readonly kind: 'new'; readonly claim: Claim }
  | { readonly kind: 'resume'; readonly claim: Claim; readonly resourceId: string }
  | { readonly kind: 'replay'; readonly status: number; readonly body: string };

export interface IdempotencyLookup<Caller, Claim> {
  /**
   * @param scope method and path
   * @throws ApiError `key_reused`, or `provider_unavailable` while the first request is still running
   */
  find(caller: Caller, request: { scope: string; key: string; body: unknown }): Promise<Found<Claim>>;
  /** The request got its answer, or none: repeats that wait may look again. */
  finished(caller: Caller, claim: Claim): void;
  /** The request ends without an answer to keep: a repeat may carry it on. */
  release(caller: Caller, claim: Claim): Promise<void>;
}

/** An answer as text where it is stored for replays, else as a value that is serialised here. */
export type Answer =
  | { readonly status: number; readonly body: object }
  | { readonly status: number; readonly text: string }
  /** A refusal that is kept and replayed like an answer. */
  | { readonly refusal: ApiError; readonly keep: (text: string) => Promise<void> }
  /** Another request with the same key was faster: look again what it did. */
  | { readonly lostClaim: true };

type Body<O extends Operation> = O extends { body: infer B extends TSchema } ? Static<B> : undefined;
type Query<O extends Operation> = O extends { query: infer Q extends TSchema } ? Static<Q> : undefined;

export interface Call<O extends Operation, Caller, Claim> {
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query<O>;
  readonly body: Body<O>;
  /** The claim on the request's idempotency key; null where none was sent. */
  readonly claim: Claim | null;
  /** The resource of an earlier attempt under the same key that never got its answer. */
  readonly resumes: string | null;
  readonly client: { readonly ip: string; readonly userAgent: string | null; readonly accept: string | null };
}

export interface MerchantApiParts<Caller extends CallerIdentity, Claim> {
  readonly app: FastifyInstance;
  readonly ajv: Ajv;
  readonly serializers: Serializers;
  /** @throws ApiError `invalid_api_key`, `key_mode_mismatch` */
  readonly authenticate: (key: string) => Promise<Caller>;
  readonly idempotency: IdempotencyLookup<Caller, Claim>;
  readonly rateLimiter: RateLimiter;
  readonly onReplay: () => void;
  readonly baseUrl: () => string;
}

interface RequestState<Caller> {
  caller: Caller;
  idempotencyKey: string | null;
}

/** Mounts contract operations as routes and keeps the order of checks (decisions, "Order of checks on every write"). */
export class MerchantApi<Caller extends CallerIdentity, Claim> {
  readonly #parts: MerchantApiParts<Caller, Claim>;
  readonly #states = new WeakMap<FastifyRequest, RequestState<Caller>>();

  constructor(parts: MerchantApiParts<Caller, Claim>) {
    this.#parts = parts;
  }

  /**
   * @param before step 7 and 8: what is checked before the body's fields, such as a live account's
   *   activation or that the path names something
   */
  mount<O extends Operation>(
    operation: O,
    handler: (call: Call<O, Caller, Claim>) => Promise<Answer>,
    before: (caller: Caller, params: Readonly<Record<string, string>>) => void | Promise<void> = () => {},
  ): void {
    const validateBody = operation.body && this.#parts.ajv.compile(operation.body);
    const validateQuery = operation.query && this.#parts.ajv.compile(operation.query);
    this.#parts.app.route({
      method: operation.method,
      url: operation.path,
      config: { operation },
      schema: documentedSchema(operation),
      onRequest: (request, reply) => this.#enter(operation, request, reply),
      handler: async (request, reply) => {
        const state = this.#states.get(request) as RequestState<Caller>;
        const params = request.params as Record<string, string>;
        const raw = operation.body || state.idempotencyKey !== null ? this.#body(operation, request) : {};
        for (;;) {
          const found = await this.#find(operation, request, state, raw);
          if (found?.kind === 'replay') {
            this.#parts.onReplay();
            return reply.header('idempotent-replayed', 'true').code(found.status).send(found.body);
          }
          const answer = await this.#keep(state.caller, found, async () => {
            await before(state.caller, params);
            return handler({
              caller: state.caller,
              params,
              query: readQuery(operation, validateQuery, request) as Query<O>,
              body: readBody(this.#parts.ajv, operation, validateBody, raw) as Body<O>,
              claim: found?.claim ?? null,
              resumes: found?.kind === 'resume' ? found.resourceId : null,
              client: clientOf(request),
            });
          });
          if ('lostClaim' in answer) continue;
          if ('refusal' in answer) {
            const text = errorText(answer.refusal, this.#parts.baseUrl(), request.id);
            await answer.keep(text);
            request.logFields.code = answer.refusal.code;
            return reply.code(answer.refusal.status).send(text);
          }
          const text =
            'text' in answer
              ? answer.text
              : this.#parts.serializers.write(operation, answer.status, answer.body);
          return reply.code(answer.status).send(text);
        }
      },
    });
  }

  /** Steps 2 to 4: key, rate limit, idempotency key. */
  async #enter(operation: Operation, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const caller = await this.#parts.authenticate(presentedKey(request.raw.rawHeaders));
    request.logFields.account = caller.accountId;
    request.logFields.livemode = caller.livemode;
    if (this.#parts.rateLimiter.enabled) {
      const limit = this.#parts.rateLimiter.take(caller.keyId);
      reply.headers({
        'ratelimit-limit': limit.limit,
        'ratelimit-remaining': limit.remaining,
        'ratelimit-reset': limit.resetSeconds,
      });
      if (!limit.allowed) {
        throw new ApiError('rate_limited', 'Too many requests with this API key. Slow down and retry.', {
          retryAfterSeconds: limit.retryAfterSeconds,
        });
      }
    }
    this.#states.set(request, { caller, idempotencyKey: idempotencyKey(operation, request) });
  }

  /** Runs the work of a claimed key and, where it ends without an answer to keep, lets a repeat carry it on. */
  async #keep(
    caller: Caller,
    found: Exclude<Found<Claim>, { kind: 'replay' }> | null,
    work: () => Promise<Answer>,
  ): Promise<Answer> {
    if (found === null) return work();
    const { idempotency } = this.#parts;
    try {
      const answer = await work();
      idempotency.finished(caller, found.claim);
      return answer;
    } catch (error) {
      // With the database away the lease ends by itself; the first error is the one to report.
      await idempotency.release(caller, found.claim).catch(() => {});
      throw error;
    }
  }

  #body(operation: Operation, request: FastifyRequest): JsonObject {
    const raw = request.body as Buffer | undefined;
    // Operations without a body ignore one, whatever its type; it only counts for the fingerprint.
    if (operation.body === undefined) return raw === undefined ? {} : { raw: raw.toString('base64') };
    return parseBody(raw, request.headers['content-type']);
  }

  async #find(
    operation: Operation,
    request: FastifyRequest,
    state: RequestState<Caller>,
    raw: JsonObject,
  ): Promise<Found<Claim> | null> {
    if (state.idempotencyKey === null) return null;
    const path = request.url.split('?', 1)[0] ?? '';
    // The depth is checked before the recursive fingerprint is taken.
    cleanBody(raw, true);
    return this.#parts.idempotency.find(state.caller, {
      scope: `${operation.method} ${path}`,
      key: state.idempotencyKey,
      body: raw,
    });
  }
}

function clientOf(request: FastifyRequest) {
  return {
    ip: request.ip,
    userAgent: request.headers['user-agent'] ?? null,
    accept: request.headers.accept ?? null,
  };
}

/**
 * The request's `Idempotency-Key`, or null where the operation does not use one or none was sent.
 * @throws ApiError `missing_idempotency_key`; `invalid_params` for a key that is too long or sent twice
 */
function idempotencyKey(operation: Operation, request: FastifyRequest): string | null {
  if (operation.idempotency === 'unused') return null;
  const sent = request.raw.rawHeaders.filter(
    (name, index) => index % 2 === 0 && name.toLowerCase() === 'idempotency-key',
  ).length;
  if (sent > 1) throw new ApiError('invalid_params', 'Send one Idempotency-Key header only.');
  const key = request.headers['idempotency-key'];
  if (typeof key !== 'string' || key === '') {
    if (operation.idempotency === 'optional') return null;
    throw new ApiError('missing_idempotency_key', 'This request needs an Idempotency-Key header.');
  }
  // Header bytes arrive as Latin-1 text, so this length is the number of characters sent.
  if (key.length > 255) {
    throw new ApiError('invalid_params', 'The Idempotency-Key must be of at most 255 characters.');
  }
  return key;
}

function readBody(
  ajv: Ajv,
  operation: Operation,
  validate: ValidateFunction | undefined,
  raw: JsonObject,
): unknown {
  if (validate === undefined || operation.body === undefined) return undefined;
  const body = cleanBody(raw, operation.keepsNull ?? false);
  const checked = { ...body };
  for (const field of operation.lenientFields ?? []) delete checked[field];
  if (!validate(checked)) throw refusal(validate, operation.missingFields ?? []);
  return prune(ajv, operation.body, body);
}

function readQuery(
  operation: Operation,
  validate: ValidateFunction | undefined,
  request: FastifyRequest,
): unknown {
  if (validate === undefined || operation.query === undefined) return undefined;
  const query = coerceQuery(operation.query, request.query as Record<string, string | string[]>);
  if (!validate(query)) throw refusal(validate, []);
  return query;
}
