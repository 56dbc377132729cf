import type { Clock } from '../../lib/clock.ts';
import { describeError, type Logger } from '../../lib/log/log.ts';
import { RateLimiter } from './rate-limit.ts';
import { openRedisBuckets } from './redis-buckets.ts';

interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

export interface RateLimits {
  readonly rateLimiter: RateLimiter;
  readonly accountLimiter: RateLimiter;
  readonly close: () => void;
}

/** Creates the rate limits per API key and per account, shared with other processes if a store for them is configured. */
export async function createRateLimits({
  clock,
  log,
  redisUrl,
  rateLimit,
  accountRateLimit,
}: {
  readonly clock: Clock;
  readonly log: Logger;
  readonly redisUrl: string | null;
  readonly rateLimit: Rate;
  readonly accountRateLimit: Rate;
}): Promise<RateLimits> {
  const shared =
    redisUrl === null || (rateLimit.perSecond === 0 && accountRateLimit.perSecond === 0)
      ? undefined
      : await openRedisBuckets(redisUrl, {
          elapsed: clock.elapsed,
          onIncident: (error) =>
            log.warn('rate limits are not shared: the store is away', describeError(error)),
        });
  const rateLimiter = new RateLimiter({ ...rateLimit, elapsed: clock.elapsed, shared });
  const accountLimiter = new RateLimiter({ ...accountRateLimit, elapsed: clock.elapsed, shared });
  return { rateLimiter, accountLimiter, close: () => shared?.close() };
}
