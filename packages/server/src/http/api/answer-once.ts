import { ApiError, type Operation } from '@till/contract';
import type { FastifyRequest } from 'fastify';
import type { LookedUpRecord } from '../../lib/idempotency-record.ts';
import { cleanBody, type JsonObject } from '../input/body.ts';
import type { FieldCodes } from '../input/field-error.ts';
import type { RequestWarning } from '../server/request-record.ts';

/** What to do with a request that carries an `Idempotency-Key`. */
export type Found<Claim> =
  | { readonly kind: 'new'; readonly claim: Claim }
  | { readonly kind: 'resume'; readonly claim: Claim; readonly resourceId: string }
  | { readonly kind: 'replay'; readonly status: number; readonly body: string };

export type Work<Claim> = Exclude<Found<Claim>, { kind: 'replay' }>;

export interface IdempotencyLookup<Caller, Claim> {
  /**
   * @param request.scope as `scopeOf` says it
   * @param request.lookedUp what was found under the key already, if anything was looked for
   * @throws ApiError `key_reused`, or `provider_unavailable` while the first request is still running
   */
  find(
    caller: Caller,
    request: { scope: string; key: string; body: unknown; lookedUp: LookedUpRecord | null },
  ): Promise<Found<Claim>>;
  /** The request got its answer, or none: repeats that wait may look again. */
  finished(caller: Caller, claim: Claim): void;
  /** The request ends without an answer to keep: a repeat may carry it on. */
  release(caller: Caller, claim: Claim): Promise<void>;
}

/** An answer as text where it is stored for replays, else as a value that is serialised by its schema. */
export type Answer = (
  | { readonly status: number; readonly body: object }
  | { readonly status: number; readonly text: string }
  /** A refusal that is kept and replayed like an answer. */
  | { readonly refusal: ApiError; readonly keep: (text: string) => Promise<void> }
  /** Another request with the same key was faster: look again what it did. */
  | { readonly keyTaken: true }
) & {
  /** Known fields of the request that this account's processor has no use for. */
  readonly ignored?: readonly string[];
  readonly warnings?: readonly RequestWarning[];
};

/** A stored answer, byte for byte. */
export interface Replay {
  readonly replay: { readonly status: number; readonly body: string };
}

/** What of an operation's answers is sent. */
export type Answered<A> = Exclude<A, { keyTaken: true }> | Replay;

/**
 * The request's `Idempotency-Key`, or null where the operation does not use one or none was sent.
 * @throws ApiError `missing_idempotency_key`; `invalid_params` for a key that is too long or sent twice
 */
export function idempotencyKey(use: Operation['idempotency'], request: FastifyRequest): string | null {
  if (use === 'unused') return null;
  const sent = request.raw.rawHeaders.filter(
    (name, index) => index % 2 === 0 && name.toLowerCase() === 'idempotency-key',
  ).length;
  if (sent > 1) throw new ApiError('invalid_params', 'Send one Idempotency-Key header only.');
  const key = request.headers['idempotency-key'];
  if (typeof key !== 'string' || key === '') {
    if (use === 'optional') return null;
    throw new ApiError(
      'missing_idempotency_key',
      'Send the header Idempotency-Key: a value of your own, new for each request and the same on its retries.',
    );
  }
  // Header bytes arrive as Latin-1 text, so this length is the number of characters sent.
  if (key.length > 255) {
    throw new ApiError('invalid_params', 'The Idempotency-Key must be of at most 255 characters.');
  }
  return key;
}

/**
 * What idempotency keys are unique within: the method and the route's pattern with its decoded parameters. However a client,
 * or a proxy on its way, spells the address, the same request has the same scope (decisions, "Limits and refusals").
 */
export function scopeOf({ method, routeOptions, params }: FastifyRequest): string {
  const values = params as Readonly<Record<string, string>>;
  // Encoded again, so that a value with a slash cannot look like two parts.
  const parameter = (_pattern: string, name: string) =>
    encodeURIComponent((values[name] ?? '').toWellFormed());
  return `${method} ${(routeOptions.url ?? '').replaceAll(/:(\w+)/g, parameter)}`;
}

export interface IdempotentRequest<Caller> {
  readonly caller: Caller;
  readonly scope: string;
  readonly key: string;
  /** The body as parsed, for the fingerprint. */
  readonly sent: JsonObject;
  /** What was found under the key with the caller, where that was looked for. */
  readonly lookedUp?: LookedUpRecord | null | undefined;
  /** Body fields that never refuse a request. */
  readonly lenientFields?: readonly string[] | undefined;
  readonly codes?: FieldCodes | undefined;
}

/**
 * Does the work of a request once for each idempotency key: claims the key, waits where the first request with it is
 * still running, replays what that answered, or resumes what it left without an answer.
 * @param idempotent null: the request has no key, and the work is done each time
 */
export async function answerOnce<Caller, Claim, A extends object>(
  idempotency: IdempotencyLookup<Caller, Claim>,
  idempotent: IdempotentRequest<Caller> | null,
  work: (found: Work<Claim> | null) => Promise<A>,
): Promise<Answered<A>> {
  // What no request can be is refused before its key is looked up.
  if (idempotent !== null) {
    const { sent, lenientFields, codes } = idempotent;
    cleanBody(sent, { keepsNull: true, lenientFields, codes });
  }
  const find = (
    { caller, scope, key, sent: body }: IdempotentRequest<Caller>,
    lookedUp: LookedUpRecord | null,
  ) => idempotency.find(caller, { scope, key, body, lookedUp });
  for (let lookedUp = idempotent?.lookedUp ?? null; ; lookedUp = null) {
    const found = idempotent && (await find(idempotent, lookedUp));
    if (found?.kind === 'replay') return { replay: found };
    const answer = await (idempotent && found
      ? keep(idempotency, idempotent.caller, found, work)
      : work(null));
    if (!('keyTaken' in answer)) return answer as Answered<A>;
  }
}

/** Runs the work of a claimed key and, where it ends without an answer to keep, lets a repeat carry it on. */
async function keep<Caller, Claim, A>(
  idempotency: IdempotencyLookup<Caller, Claim>,
  caller: Caller,
  found: Work<Claim>,
  work: (found: Work<Claim>) => Promise<A>,
): Promise<A> {
  try {
    const answer = await work(found);
    idempotency.finished(caller, found.claim);
    return answer;
  } catch (error) {
    // With the database away the lease ends by itself; the first error is the one to report.
    await idempotency.release(caller, found.claim).catch(() => {});
    throw error;
  }
}
