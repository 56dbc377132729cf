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
import type { Database } from '../../store/database.ts';
import { OpenStreams } from './open-streams.ts';
import { streamEvents } from './stream.ts';

const pollIntervalMs = 1000;
/** A client that has read nothing for this long counts as gone. */
const stalledMs = 30_000;

export interface EventStreamDependencies {
  readonly db: Database;
  readonly clock: Clock;
  /** @throws ApiError `invalid_api_key`, `key_mode_mismatch` */
  readonly authenticate: (key: string, ip: string) => Promise<CallerIdentity>;
  /** Rate limits each API key. */
  readonly rateLimiter: RateLimiter;
  /** Rate limits each account. */
  readonly accountLimiter: RateLimiter;
  /** Whether the server is shutting down. */
  readonly draining: () => boolean;
  /** Whether the account has been moved to another database. */
  readonly isElsewhere: (accountId: string) => boolean;
}

/** Takes a request from the limits of the key and then of its account. @returns whether both allow it */
async function isWithinLimits(
  { rateLimiter, accountLimiter }: EventStreamDependencies,
  { accountId, keyId }: CallerIdentity,
): Promise<boolean> {
  if (rateLimiter.enabled && !(await rateLimiter.take(keyId)).allowed) return false;
  return !accountLimiter.enabled || (await accountLimiter.take(accountId)).allowed;
}

/** Parses a place in the log from `Last-Event-ID`, or a time from `since`; undefined for anything else. */
function wholeNumber(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/**
 * The place in the log at which the client wants to begin: after the last event that it got, or with the events since a time.
 * @throws ApiError `invalid_params`
 */
async function placeOf(db: Database, caller: CallerIdentity, request: FastifyRequest): Promise<number> {
  const lastId = request.headers['last-event-id'];
  if (typeof lastId === 'string' && lastId !== '') {
    const place = wholeNumber(lastId);
    // A place beyond the end belongs to another log. The client would get nothing until this log has grown to it.
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
 * Ends a stream whose client does not read. Its generator is blocked on what it has to send, and would notice neither that
 * the server shuts down nor that its key was revoked. Resolves once the client has left.
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

/** `GET /api/v1/events/stream`: the account's events as they occur, for `till listen` and other tools. */
export function eventStreamRoutes(app: FastifyInstance, deps: EventStreamDependencies): void {
  const closing = new AbortController();
  const open = new OpenStreams();
  // A stream never ends by itself, and the server would wait for it when it closes.
  app.addHook('preClose', async () => closing.abort());

  const documented = { schema: documentedStream, config: { isDocumented: true } };
  app.get(eventStream.path, documented, async (request, reply) => {
    const key = presentedKey(request.raw.rawHeaders);
    const caller = await deps.authenticate(key, request.ip);
    request.logFields.account = caller.accountId;
    request.logFields.livemode = caller.livemode;
    requirePermission(eventStream, caller);
    const isAllowedNow = await isWithinLimits(deps, caller);
    // The client left before anybody listened for the close of its connection, so the stream would never end.
    if (reply.raw.destroyed) return reply.code(204).send();
    // If this answer is queued behind another one on its connection, its `close` event is never emitted when the client
    // leaves.
    const isQueued = reply.raw.socket === null;
    // Counted before the next await: other requests may come meanwhile, and the client may leave.
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
        // A connection that is kept alive after the stream would delay a server that closes.
        connection: 'close',
      })
      .send(Readable.from(streamEvents({ ...deps, isAllowed }, caller, place, signal)));
  });
}
