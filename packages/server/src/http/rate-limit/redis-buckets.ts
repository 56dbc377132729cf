import type { Redis, RedisOptions } from 'ioredis';
import type { SharedBuckets, Taken } from './rate-limit.ts';

/** A limit must not cost more than what it protects: a request that waits longer is counted by its own process. */
const commandTimeoutMs = 500;
/** After a failure nobody is kept waiting for so long. */
const pauseMs = 1_000;
const maxPauseMs = 2_000;
const prefix = 'till:rate:';

/**
 * Takes one token where there is one, by the store's own clock, so that the machines' clocks do not matter. A bucket that
 * had time to fill up is the same as none.
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
  // Without a connection a command fails at once instead of waiting for one.
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  commandTimeout: commandTimeoutMs,
  // Commands to a store that answers nothing any more would be kept without end.
  socketTimeout: maxPauseMs,
  connectTimeout: maxPauseMs,
  retryStrategy: (times) => Math.min(times * 100, maxPauseMs),
};

/** Loaded only where a store is configured. */
async function client(url: string, changes: RedisOptions = {}): Promise<Redis> {
  // In the bundle a library in CommonJS has no other export.
  const { default: library } = await import('ioredis');
  return new library.Redis(url, { ...options, ...changes });
}

export interface RedisBuckets extends SharedBuckets {
  /** Ends the connection. */
  close(): void;
}

/**
 * Buckets that several processes share in Valkey or Redis. Connects in the background: until it has, and whenever the store
 * is away, `take` answers undefined.
 * @param elapsed milliseconds of a monotonic clock
 * @param onIncident called when the store goes away, once, with the reason
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

/** Rejects where the store does not answer. */
export async function pingRedis(url: string, timeoutMs: number): Promise<void> {
  const redis = await client(url, {
    commandTimeout: timeoutMs,
    connectTimeout: timeoutMs,
    retryStrategy: () => null,
  });
  // The reason comes here and not to the caller of `connect`.
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
