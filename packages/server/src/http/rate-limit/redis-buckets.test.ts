import { describe, expect, it } from 'vitest';
import { RateLimiter } from './rate-limit.ts';
import { openRedisBuckets, pingRedis } from './redis-buckets.ts';

describe('a rate limit', () => {
  const limits = { perSecond: 1, burst: 2, elapsed: () => 0 };

  it('uses the shared buckets of Redis', async () => {
    const asked: string[] = [];
    const shared = {
      take: async (key: string) => {
        asked.push(key);
        return { allowed: asked.length < 2, tokens: 0.5 };
      },
    };
    const limiter = new RateLimiter({ ...limits, shared });
    expect(await limiter.take('key')).toMatchObject({ allowed: true, remaining: 0, limit: 2 });
    expect(await limiter.take('key')).toMatchObject({ allowed: false, retryAfterSeconds: 1 });
    expect(asked).toEqual(['key', 'key']);
  });

  it('falls back to buckets of its own where Redis fails', async () => {
    const limiter = new RateLimiter({ ...limits, shared: { take: async () => undefined } });
    const taken = [await limiter.take('key'), await limiter.take('key'), await limiter.take('key')];
    expect(taken.map(({ allowed }) => allowed)).toEqual([true, true, false]);
  });
});

describe('an unavailable Redis', () => {
  it('is reported once, and delays no request', async () => {
    const incidents: Error[] = [];
    const buckets = await openRedisBuckets('redis://127.0.0.1:9', {
      elapsed: () => 0,
      onIncident: (error) => incidents.push(error),
    });
    for (let count = 0; count < 3; count += 1) {
      expect(await buckets.take('key', { perSecond: 1, burst: 1 })).toBeUndefined();
    }
    buckets.close();
    expect(incidents).toHaveLength(1);
  });

  it('fails the ping', async () => {
    await expect(pingRedis('redis://127.0.0.1:9', 30_000)).rejects.toThrow(/ECONNREFUSED/);
  });
});
