import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { ApiError, eventStream, invalidParam } from '@till/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { placeInLog } from '../../events/events.ts';
import { presentedKey } from '../../http/api/authenticate.ts';
import { type CallerIdentity, requirePermission } from '../../http/api/merchant-guards.ts';
import { documentedStream } from '../../http/openapi/openapi.ts';
import type { RateLimiter } from '../../http/rate-limit/rate-limit.ts';
import type { Clock } from '../../lib/clock.ts';
import { Bulkhead } from '../../lib/waiting/bulkhead.ts';
import type { Database } from '../../store/database.ts';
import { streamEvents } from './stream.ts';

/** How many streams a key and an account may have open: each looks into the database twice a second. */
const maxPerKey = 10;
const maxPerAccount = 50;
const maxTotal = 500;
const pollIntervalMs = 1000;
/** After so long without reading anything a client is as good as gone. */
const stalledMs = 30_000;

export interface EventStreamDependencies {
  readonly db: Database;
  readonly clock: Clock;
  /** @throws ApiError `invalid_api_key`, `key_mode_mismatch` */
  readonly authenticate: (key: string, ip: string) => Promise<CallerIdentity>;
  /** By key. */
  readonly rateLimiter: RateLimiter;
  /** By account. */
  readonly accountLimiter: RateLimiter;
  /** Whether the server is to stop. */
  readonly draining: () => boolean;
  /** Whether an account is in another database by now. */
  readonly isElsewhere: (accountId: string) => boolean;
}

/** The streams that are open, bounded for each key and each account, however many keys it has. */
class OpenStreams {
  readonly #ofKeys = new Bulkhead({ each: maxPerKey, all: Number.POSITIVE_INFINITY });
  readonly #ofAccounts = new Bulkhead({ each: maxPerAccount, all: maxTotal });

  /** @returns what to call once the stream has ended; null where there are too many */
  enter({ accountId, keyId }: CallerIdentity): (() => void) | null {
    const leaveKey = this.#ofKeys.enter(keyId);
    if (leaveKey === null) return null;
    const leaveAccount = this.#ofAccounts.enter(accountId);
    if (leaveAccount === null) leaveKey();
    return (
      leaveAccount &&
      (() => {
        leaveKey();
        leaveAccount();
      })
    );
  }
}

/** Takes a request from the limits of the key and then of its account. @returns whether both allow it */
async function isWithinLimits(
  { rateLimiter, accountLimiter }: EventStreamDependencies,
  { accountId, keyId }: CallerIdentity,
): Promise<boolean> {
  if (rateLimiter.enabled && !(await rateLimiter.take(keyId)).allowed) return false;
  return !accountLimiter.enabled || (await accountLimiter.take(accountId)).allowed;
}

/** A place as `Last-Event-ID` names it, or a moment as `since` does; undefined for anything else. */
function wholeNumber(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/**
 * Where the client wants to begin: after the last event that it got, or with what happened since a time.
 * @throws ApiError `invalid_params`
 */
async function placeOf(db: Database, caller: CallerIdentity, request: FastifyRequest): Promise<number> {
  const lastId = request.headers['last-event-id'];
  if (typeof lastId === 'string' && lastId !== '') {
    const place = wholeNumber(lastId);
    // Beyond the end is a place in another log: nothing would come until this one has grown to it.
    if (place === undefined || place > (await placeInLog(db, caller, null))) {
      throw invalidParam(
        'Last-Event-ID',
        'Last-Event-ID must be an id that this stream sent, in this account and mode. Leave it out to begin now.',
      );
    }
    return place;
  }
  const { since } = request.query as Record<string, string | string[]>;
  if (since === undefined) return placeInLog(db, caller, null);
  const seconds = typeof since === 'string' ? wholeNumber(since) : undefined;
  if (seconds === undefined || seconds > 99_999_999_999) {
    throw invalidParam('since', 'since must be Unix seconds.');
  }
  return placeInLog(db, caller, new Date(seconds * 1000));
}

/**
 * Ends a stream whose client does not read: its generator stands at what it has to send, and would see neither that the server
 * stops nor that its key was revoked. Resolves once the client has left.
 */
async function endStalled(
  { clock, draining }: EventStreamDependencies,
  answer: ServerResponse,
  { left, closing }: { readonly left: AbortSignal; readonly closing: AbortSignal },
): Promise<void> {
  let since: number | undefined;
  while (!left.aborted) {
    await clock.delay(pollIntervalMs, left);
    since = answer.writableNeedDrain ? (since ?? clock.elapsed()) : undefined;
    if (since === undefined) continue;
    if (closing.aborted || draining() || clock.elapsed() - since >= stalledMs) answer.destroy();
  }
}

/** `GET /api/v1/events/stream`: the account's events as they come, for `till listen` and other tools. */
export function eventStreamRoutes(app: FastifyInstance, deps: EventStreamDependencies): void {
  const closing = new AbortController();
  const open = new OpenStreams();
  // A stream never ends by itself: the server would wait for it when it closes.
  app.addHook('preClose', async () => closing.abort());

  const documented = { schema: documentedStream, config: { isDocumented: true } };
  app.get(eventStream.path, documented, async (request, reply) => {
    const key = presentedKey(request.raw.rawHeaders);
    const caller = await deps.authenticate(key, request.ip);
    request.logFields.account = caller.accountId;
    request.logFields.livemode = caller.livemode;
    requirePermission(eventStream, caller);
    const isAllowedNow = await isWithinLimits(deps, caller);
    // The client has left: its connection closed before anybody listened for that, and no stream would ever end.
    if (reply.raw.destroyed) return reply.code(204).send();
    // An answer that is queued behind another one of its connection is never closed where the client leaves.
    const isQueued = reply.raw.socket === null;
    // Counted before anything else is waited for: others may ask meanwhile, and the client may leave.
    const leave = isAllowedNow && !isQueued ? open.enter(caller) : null;
    if (leave === null) {
      throw new ApiError(
        'rate_limited',
        'Too many streams or requests with this API key or of this account.',
        {
          retryAfterSeconds: 1,
        },
      );
    }
    const left = new AbortController();
    reply.raw.once('close', () => {
      left.abort();
      leave();
    });
    const place = await placeOf(deps.db, caller, request);
    const isAllowed = () =>
      deps.authenticate(key, request.ip).then(
        () => true,
        (error: unknown) => !(error instanceof ApiError),
      );
    const signal = AbortSignal.any([left.signal, closing.signal]);
    void endStalled(deps, reply.raw, { left: left.signal, closing: closing.signal });
    return reply
      .headers({
        'content-type': 'text/event-stream; charset=utf-8',
        'x-accel-buffering': 'no',
        // Kept alive after the stream it would hold up a server that closes.
        connection: 'close',
      })
      .send(Readable.from(streamEvents({ ...deps, isAllowed }, caller, place, signal)));
  });
}
