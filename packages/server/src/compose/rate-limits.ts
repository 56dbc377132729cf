import { RateLimiter } from '../http/rate-limit/rate-limit.ts';
import { openRedisBuckets } from '../http/rate-limit/redis-buckets.ts';
import { describeError } from '../lib/log.ts';
import type { ServerDependencies } from './dependencies.ts';

/** The limits of each API key and of each account, shared with other processes where a store for them is configured. */
export async function composeRateLimits({ config, clock, log }: ServerDependencies): Promise<{
  rateLimiter: RateLimiter;
  accountLimiter: RateLimiter;
  close: () => void;
}> {
  const { redisUrl, rateLimit, accountRateLimit } = config;
  const shared =
    redisUrl === null || (rateLimit.perSecond === 0 && accountRateLimit.perSecond === 0)
      ? undefined
      : await openRedisBuckets(redisUrl, {
          elapsed: clock.elapsed,
          onTrouble: (error) =>
            log.warn('rate limits are not shared: the store is away', describeError(error)),
        });
  const rateLimiter = new RateLimiter({ ...rateLimit, elapsed: clock.elapsed, shared });
  const accountLimiter = new RateLimiter({ ...accountRateLimit, elapsed: clock.elapsed, shared });
  return { rateLimiter, accountLimiter, close: () => shared?.close() };
}
