import { Readable } from 'node:stream';
import { ApiError, invalidParam } from '@till/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { placeInLog } from '../events/events.ts';
import { presentedKey } from '../http/authenticate.ts';
import type { CallerIdentity } from '../http/merchant-api.ts';
import type { RateLimiter } from '../http/rate-limit.ts';
import type { Clock } from '../lib/clock.ts';
import type { Database } from '../store/database.ts';
import { streamEvents } from './stream.ts';

/** Each open stream looks into the database twice a second. */
const mostStreamsPerKey = 10;

export interface EventStreamParts {
  readonly db: Database;
  readonly clock: Clock;
  /** @throws ApiError `invalid_api_key`, `key_mode_mismatch` */
  readonly authenticate: (key: string) => Promise<CallerIdentity>;
  readonly rateLimiter: RateLimiter;
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
    if (place === undefined)
      throw invalidParam('Last-Event-ID', 'Last-Event-ID must be the id of an event here.');
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

/** `GET /api/v1/events/stream`: the account's events as they come, for `till listen` and other tools. */
export function eventStreamRoutes(app: FastifyInstance, parts: EventStreamParts): void {
  const closing = new AbortController();
  const open = new Map<string, number>();
  // A stream never ends by itself: the server would wait for it when it closes.
  app.addHook('preClose', async () => closing.abort());

  app.get('/api/v1/events/stream', async (request, reply) => {
    const key = presentedKey(request.raw.rawHeaders);
    const caller = await parts.authenticate(key);
    request.logFields.account = caller.accountId;
    request.logFields.livemode = caller.livemode;
    const { keyId } = caller;
    const limited = parts.rateLimiter.enabled && !(await parts.rateLimiter.take(keyId)).allowed;
    if (limited || (open.get(keyId) ?? 0) >= mostStreamsPerKey) {
      throw new ApiError('rate_limited', 'Too many streams or requests with this API key.', {
        retryAfterSeconds: 1,
      });
    }
    // Counted before anything is waited for: others may ask meanwhile, and the client may leave.
    const left = new AbortController();
    open.set(keyId, (open.get(keyId) ?? 0) + 1);
    reply.raw.once('close', () => {
      left.abort();
      open.set(keyId, (open.get(keyId) ?? 1) - 1);
      if (open.get(keyId) === 0) open.delete(keyId);
    });
    const place = await placeOf(parts.db, caller, request);
    const isAllowed = () =>
      parts.authenticate(key).then(
        () => true,
        (error: unknown) => !(error instanceof ApiError),
      );
    const signal = AbortSignal.any([left.signal, closing.signal]);
    return reply
      .headers({
        'content-type': 'text/event-stream; charset=utf-8',
        'x-accel-buffering': 'no',
        // Kept alive after the stream it would hold up a server that closes.
        connection: 'close',
      })
      .send(Readable.from(streamEvents({ ...parts, isAllowed }, caller, place, signal)));
  });
}
