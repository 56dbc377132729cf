import { ApiError, type ErrorBody, type Operation } from '@till/contract';
import type { Ajv } from 'ajv';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { LookedUpRecord } from '../lib/idempotency-record.ts';
import type { Suspend } from '../lib/suspend.ts';
import { cardNumberIn, holdsNumber } from '../lib/text/digits.ts';
import { suspendOf } from './admit.ts';
import { errorText, helpLink } from './app.ts';
import { presentedKey } from './authenticate.ts';
import type { JsonObject } from './body.ts';
import { ignoredFieldsHeader } from './fields/ignored.ts';
import { type Client, clientOf, InputReader } from './input.ts';
import { type Answer, answerOnce, type IdempotencyLookup, idempotencyKey, scopeOf } from './keyed.ts';
import { documentedSchema } from './openapi/openapi.ts';
import type { RateLimiter } from './rate-limit.ts';
import { importanceOf } from './route-table.ts';
import type { Serializers } from './serialize.ts';
import { type Upload, uploadScope } from './upload.ts';

/** Who calls, as the authentication knows it. Features add what they need of the account. */
export interface CallerIdentity {
  readonly accountId: string;
  readonly livemode: boolean;
  readonly keyId: string;
}

export interface Authentication {
  /** Called with whose key it is, also where it is then refused; `livemode` is that of the account's environment. */
  readonly onKnown?: (owner: CallerIdentity) => void;
  /** Called right before the key is looked up: what the look-up reads is no older than this. */
  readonly onLookUp?: () => void;
  /** What the request does under its idempotency key, so that its record can be read along. */
  readonly keyed?: { readonly scope: string; readonly key: string } | null;
  /** How the request waits. */
  readonly suspend?: Suspend;
}

export interface Authenticated<Caller> {
  readonly caller: Caller;
  /** What was found under the request's idempotency key; null or absent where nothing was looked for. */
  readonly lookedUp?: LookedUpRecord | null | undefined;
}

/** @throws ApiError `invalid_api_key`, `key_mode_mismatch` */
export type Authenticate<Caller> = (key: string, options?: Authentication) => Promise<Authenticated<Caller>>;

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
  /** Reads the file of an operation that takes one. @throws ApiError `missing_field`, `body_too_large`, `invalid_params` */
  readonly upload: () => Promise<Upload>;
  readonly client: Client;
}

export interface MerchantApiParts<Caller extends CallerIdentity, Claim> {
  readonly app: FastifyInstance;
  readonly ajv: Ajv;
  readonly serializers: Serializers;
  readonly authenticate: Authenticate<Caller>;
  readonly idempotency: IdempotencyLookup<Caller, Claim>;
  /** By key. */
  readonly rateLimiter: RateLimiter;
  /** By account: many keys do not multiply what one account may ask for. */
  readonly accountLimiter: RateLimiter;
  readonly onReplay: () => void;
  readonly baseUrl: () => string;
}

interface RequestState<Caller> extends Authenticated<Caller> {
  /** Whether the whole request had arrived before its key was looked up. */
  readonly isCurrent: boolean;
  readonly idempotencyKey: string | null;
}

/** Mounts contract operations as routes and keeps the order of checks (decisions, "Order of checks on every write"). */
export class MerchantApi<Caller extends CallerIdentity, Claim> {
  readonly #parts: MerchantApiParts<Caller, Claim>;
  readonly #states = new WeakMap<FastifyRequest, RequestState<Caller>>();

  constructor(parts: MerchantApiParts<Caller, Claim>) {
    this.#parts = parts;
  }

  /** Where an operation that takes a file is mounted: elsewhere such a body stays what it was, no JSON. */
  uploadScope(mount: (scope: FastifyInstance) => void): void {
    uploadScope(this.#parts.app, mount);
  }

  /**
   * @param before step 7 and 8: what is checked before the body's fields, such as a live account's
   *   activation or that the path names something
   * @param app where the route goes: a scope of its own for an operation that takes a file
   */
  mount<O extends Operation>(
    operation: O,
    handler: (call: Call<O, Caller, Claim>) => Promise<Answer>,
    before: (caller: Caller, params: Readonly<Record<string, string>>) => void | Promise<void> = () => {},
    app: FastifyInstance = this.#parts.app,
  ): void {
    const input = new InputReader(this.#parts.ajv, operation);
    app.route({
      method: operation.method,
      url: operation.path,
      config: { isDocumented: true, importance: importanceOf(operation) },
      schema: documentedSchema(operation),
      onRequest: (request, reply) => this.#enter(operation, request, reply),
      // A file is read by the handler, which then has the key checked again.
      preHandler: operation.upload === undefined ? (request) => this.#checkAgain(operation, request) : [],
      handler: async (request, reply) => {
        const { caller, lookedUp, idempotencyKey: key } = this.#states.get(request) as RequestState<Caller>;
        const params = request.params as Record<string, string>;
        const raw = operation.body || key !== null ? input.raw(request) : {};
        requireOtherKey(operation, key, raw);
        const { lenientFields } = operation;
        const keyed = { caller, request, key, raw, lenientFields, lookedUp };
        const answer = await answerOnce(this.#parts.idempotency, keyed, async (found) => {
          // What was begun is carried on: refused now, its merchant would think that nothing was charged.
          if (found?.kind !== 'resume') await before(caller, params);
          const body = input.body(raw) as Body<O>;
          const made = await handler({
            caller,
            params,
            query: input.query(request) as Query<O>,
            body,
            claim: found?.claim ?? null,
            resumes: found?.kind === 'resume' ? found.resourceId : null,
            upload: async () => {
              const upload = await input.upload(request);
              await this.#checkAgain(operation, request);
              return upload;
            },
            client: clientOf(request),
          });
          const ignored = ignoredFieldsHeader([...input.ignored(raw, body), ...(made.ignored ?? [])]);
          if (ignored !== undefined) reply.header('service-ignored-fields', ignored);
          return made;
        });
        return this.#send(operation, request, reply, answer);
      },
    });
  }

  async #send(
    operation: Operation,
    request: FastifyRequest,
    reply: FastifyReply,
    answer: Awaited<ReturnType<typeof answerOnce<Caller, Claim, Answer>>>,
  ): Promise<FastifyReply> {
    if ('replay' in answer) {
      this.#parts.onReplay();
      const { status, body } = answer.replay;
      if (status >= 400) reply.header('link', helpLink(this.#parts.baseUrl(), codeIn(body)));
      return reply.header('idempotent-replayed', 'true').code(status).send(body);
    }
    if ('refusal' in answer) {
      const text = errorText(answer.refusal, this.#parts.baseUrl(), request.id);
      await answer.keep(text);
      request.logFields.code = answer.refusal.code;
      return reply
        .code(answer.refusal.status)
        .header('link', helpLink(this.#parts.baseUrl(), answer.refusal.code))
        .send(text);
    }
    if (request.exchange !== null) request.exchange.warnings = answer.warnings ?? [];
    const text =
      'text' in answer ? answer.text : this.#parts.serializers.write(operation, answer.status, answer.body);
    return reply.code(answer.status).send(text);
  }

  /** Steps 2 to 4: key, rate limit, idempotency key. */
  async #enter(operation: Operation, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const authenticated = await this.#authenticate(operation, request);
    await this.#limit(authenticated.caller, reply);
    const key = idempotencyKey(operation.idempotency, request);
    this.#states.set(request, { ...authenticated, idempotencyKey: key });
  }

  /** The headers tell of the key's limit only. @throws ApiError `rate_limited` */
  async #limit(caller: Caller, reply: FastifyReply): Promise<void> {
    if (this.#parts.rateLimiter.enabled) {
      const limit = await this.#parts.rateLimiter.take(caller.keyId);
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
    if (!this.#parts.accountLimiter.enabled) return;
    // After the key's own limit: what a key is refused must not be taken from the others of its account.
    const ofAccount = await this.#parts.accountLimiter.take(caller.accountId);
    if (ofAccount.allowed) return;
    throw new ApiError('rate_limited', 'Too many requests of this account. Slow down and retry.', {
      retryAfterSeconds: ofAccount.retryAfterSeconds,
    });
  }

  async #authenticate(
    operation: Operation,
    request: FastifyRequest,
  ): Promise<Authenticated<Caller> & { readonly isCurrent: boolean }> {
    const idempotency = request.headers['idempotency-key'];
    const isKeyed =
      operation.idempotency !== 'unused' && typeof idempotency === 'string' && idempotency !== '';
    let isCurrent = false;
    const authenticated = await this.#parts.authenticate(presentedKey(request.raw.rawHeaders), {
      onKnown: ({ accountId, livemode, keyId }) => {
        request.logFields.account = accountId;
        request.logFields.livemode = livemode;
        request.exchange = { operation, accountId, livemode, keyId, answer: null, warnings: [] };
        request.authenticated = true;
      },
      onLookUp: () => {
        isCurrent = request.raw.complete;
      },
      keyed: isKeyed ? { scope: scopeOf(request), key: idempotency } : null,
      suspend: suspendOf(request),
    });
    return { ...authenticated, isCurrent };
  }

  /**
   * Authenticates anew where the body was still to come when the key was looked up: a client may hold it back for as long
   * as it wants to (decisions, "Limits and refusals"). What arrived as a whole costs no second look-up.
   */
  async #checkAgain(operation: Operation, request: FastifyRequest): Promise<void> {
    const state = this.#states.get(request) as RequestState<Caller>;
    if (state.isCurrent) return;
    this.#states.set(request, { ...state, ...(await this.#authenticate(operation, request)) });
  }
}

/** The key is stored as it is. @throws ApiError `invalid_params` where it holds the body's card number */
function requireOtherKey({ cardNumberField }: Operation, key: string | null, raw: JsonObject): void {
  const number = cardNumberField === undefined ? undefined : cardNumberIn(raw, cardNumberField);
  if (key === null || number === undefined || !holdsNumber(key, number)) return;
  throw new ApiError('invalid_params', "The Idempotency-Key must not hold the card's number.");
}

/** The code in an error's text. */
const codeIn = (text: string) => (JSON.parse(text) as ErrorBody).error.code;
