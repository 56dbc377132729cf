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
   * @param request.scope as returned by `scopeOf`
   * @param request.lookedUp the record already found under the key, or null if there was no look-up
   * @throws ApiError `key_reused`, or `provider_unavailable` while the first request is still running
   */
  find(
    caller: Caller,
    request: { scope: string; key: string; body: unknown; lookedUp: LookedUpRecord | null },
  ): Promise<Found<Claim>>;
  /** Call it once the request has ended, with or without an answer: waiting retries may look again. */
  finished(caller: Caller, claim: Claim): void;
  /** Call it if the request ends without an answer to store, so that a retry may resume it. */
  release(caller: Caller, claim: Claim): Promise<void>;
}

/** An answer: text if it is stored for replays, otherwise a value that its schema serialises. */
export type Answer = (
  | { readonly status: number; readonly body: object }
  | { readonly status: number; readonly text: string }
  /** A refusal that is stored and replayed like an answer. */
  | { readonly refusal: ApiError; readonly keep: (text: string) => Promise<void> }
  /** Another request with the same key was faster: look up its outcome. */
  | { readonly keyTaken: true }
) & {
  /** Known request fields that this account's processor does not use. */
  readonly ignored?: readonly string[];
  readonly warnings?: readonly RequestWarning[];
};

/** A stored answer, byte for byte. */
export interface Replay {
  readonly replay: { readonly status: number; readonly body: string };
}

/** The answers of an operation that are sent to the client. */
export type Answered<A> = Exclude<A, { keyTaken: true }> | Replay;

/** The maximum length of an `Idempotency-Key` in characters (decisions, "Order of checks on every write"). */
const maxKeyLength = 255;

/** Counts the characters of a header in UTF-8. Node.js decodes each byte of a header as one Latin-1 character. */
const charactersIn = (header: string): number =>
  Array.from(Buffer.from(header, 'latin1').toString('utf8')).length;

/**
 * The request's `Idempotency-Key` as Node.js decoded it, or null if the operation does not use one or none was sent.
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
  if (key.length > maxKeyLength && charactersIn(key) > maxKeyLength) {
    throw new ApiError('invalid_params', 'The Idempotency-Key must be of at most 255 characters.');
  }
  return key;
}

/**
 * The scope within which idempotency keys are unique: the method and the route's pattern with its decoded parameters. The same
 * request has the same scope however the client, or a proxy in between, encodes the URL (decisions, "Limits and refusals").
 */
export function scopeOf({ method, routeOptions, params }: FastifyRequest): string {
  const values = params as Readonly<Record<string, string>>;
  // Encode the value again, so that one with a slash cannot look like two path segments.
  const parameter = (_pattern: string, name: string) =>
    encodeURIComponent((values[name] ?? '').toWellFormed());
  return `${method} ${(routeOptions.url ?? '').replaceAll(/:(\w+)/g, parameter)}`;
}

export interface IdempotentRequest<Caller> {
  readonly caller: Caller;
  readonly scope: string;
  readonly key: string;
  /** The parsed body, for the fingerprint. */
  readonly sent: JsonObject;
  /** The record that was read together with the caller, if it was looked up. */
  readonly lookedUp?: LookedUpRecord | null | undefined;
  /** Body fields that are dropped if invalid, instead of refusing the request. */
  readonly lenientFields?: readonly string[] | undefined;
  readonly codes?: FieldCodes | undefined;
}

/**
 * Does the work of a request once per idempotency key: claims the key, waits while the first request with the key is still
 * running, replays its stored answer, or resumes its work if it ended without an answer.
 * @param idempotent null: the request has no key, and the work is done each time
 */
export async function answerOnce<Caller, Claim, A extends object>(
  idempotency: IdempotencyLookup<Caller, Claim>,
  idempotent: IdempotentRequest<Caller> | null,
  work: (found: Work<Claim> | null) => Promise<A>,
): Promise<Answered<A>> {
  // A body that no request may have is refused before the key is looked up.
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
      ? runClaimed(idempotency, idempotent.caller, found, work)
      : work(null));
    if (!('keyTaken' in answer)) return answer as Answered<A>;
  }
}

/** Runs the work for a claimed key. If it ends without an answer to store, lets a retry resume it. */
async function runClaimed<Caller, Claim, A>(
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
    // If the database is away, the lease expires by itself; report the first error.
    await idempotency.release(caller, found.claim).catch(() => {});
    throw error;
  }
}
