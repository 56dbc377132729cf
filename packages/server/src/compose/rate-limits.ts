import { RateLimiter } from '../http/rate-limit.ts';
import { openRedisBuckets } from '../http/redis-buckets.ts';
import { describeError } from '../lib/log.ts';
import type { ServerParts } from './parts.ts';

/** The limit of each API key, shared with other processes where a store for it is configured. */
export async function composeRateLimits({
  config,
  clock,
  log,
}: ServerParts): Promise<{ rateLimiter: RateLimiter; close: () => void }> {
  const { redisUrl, rateLimit } = config;
  const shared =
    redisUrl === null || rateLimit.perSecond === 0
      ? undefined
      : await openRedisBuckets(redisUrl, {
          elapsed: clock.elapsed,
          onTrouble: (error) =>
            log.warn('rate limits are not shared: the store is away', describeError(error)),
        });
  const rateLimiter = new RateLimiter({ ...rateLimit, elapsed: clock.elapsed, shared });
  return { rateLimiter, close: () => shared?.close() };
}
