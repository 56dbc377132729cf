import type { Redis, RedisOptions } from 'ioredis';
import type { SharedBuckets, Taken } from './rate-limit.ts';

/** The timeout of a command. A limit must not cost more than it protects: a request that waits longer is counted locally. */
const commandTimeoutMs = 500;
/** After a failure the store is not asked for this long, so that no request waits for it. */
const pauseMs = 1_000;
const maxPauseMs = 2_000;
const prefix = 'till:rate:';

/**
 * Takes one token if there is one, using the store's clock, so that the clocks of the machines do not matter. A bucket that had
 * time to fill up is equivalent to none.
 */
const takeScript = `
local rate, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local known = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens, at = tonumber(known[1]) or burst, tonumber(known[2]) or now
tokens = math.min(burst, tokens + math.max(0, now - at) * rate / 1000)
local allowed = 0
if tokens >= 1 then
  allowed = 1
  tokens = tokens - 1
end
redis.call('HSET', KEYS[1], 'tokens', string.format('%.6f', tokens), 'at', string.format('%.0f', now))
redis.call('PEXPIRE', KEYS[1], math.ceil(burst / rate * 1000) + 1000)
return {allowed, string.format('%.6f', tokens)}`;

const options: RedisOptions = {
  lazyConnect: true,
  // Without a connection a command fails at once instead of queueing.
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  commandTimeout: commandTimeoutMs,
  // Otherwise commands to a store that no longer answers would be kept for ever.
  socketTimeout: maxPauseMs,
  connectTimeout: maxPauseMs,
  retryStrategy: (times) => Math.min(times * 100, maxPauseMs),
};

/** Loads the library on demand, because most installations configure no store. */
async function client(url: string, changes: RedisOptions = {}): Promise<Redis> {
  // Use the default export: in the bundle a CommonJS library has no other.
  const { default: library } = await import('ioredis');
  return new library.Redis(url, { ...options, ...changes });
}

export interface RedisBuckets extends SharedBuckets {
  /** Closes the connection. */
  close(): void;
}

/**
 * Opens buckets that several processes share in Valkey or Redis. It connects in the background; until then, and whenever the
 * store is away, `take` resolves with undefined.
 * @param elapsed milliseconds of a monotonic clock
 * @param onIncident called with the reason, once each time the store goes away
 */
export async function openRedisBuckets(
  url: string,
  { elapsed, onIncident }: { elapsed: () => number; onIncident: (error: Error) => void },
): Promise<RedisBuckets> {
  const redis = await client(url);
  let isAway = false;
  let askAgainAt = 0;
  const away = (error: Error) => {
    if (!isAway) onIncident(error);
    isAway = true;
    askAgainAt = elapsed() + pauseMs;
  };
  redis.on('error', away);
  redis.connect().catch(away);
  return {
    async take(key, { perSecond, burst }): Promise<Taken | undefined> {
      if (elapsed() < askAgainAt) return undefined;
      try {
        const answer = await redis.eval(takeScript, 1, `${prefix}${key}`, perSecond, burst);
        const [allowed, tokens] = Array.isArray(answer) ? (answer as unknown[]) : [];
        isAway = false;
        return { allowed: allowed === 1, tokens: Number(tokens) };
      } catch (error) {
        away(error instanceof Error ? error : new Error(String(error)));
        return undefined;
      }
    },
    close: () => redis.disconnect(),
  };
}

/** Rejects if the store does not answer. */
export async function pingRedis(url: string, timeoutMs: number): Promise<void> {
  const redis = await client(url, {
    commandTimeout: timeoutMs,
    connectTimeout: timeoutMs,
    retryStrategy: () => null,
  });
  // The library passes the reason to this listener, not to the caller of `connect`.
  let reason: Error | undefined;
  redis.on('error', (error: Error) => {
    reason = error;
  });
  try {
    await redis.connect();
    await redis.ping();
  } catch (error) {
    throw reason ?? error;
  } finally {
    redis.disconnect();
  }
}
