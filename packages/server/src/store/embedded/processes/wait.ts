import { setTimeout as delay } from 'node:timers/promises';

/** Calls `probe` repeatedly until it returns a value. Returns undefined after `timeoutMs`. */
export async function poll<T>(
  probe: () => Promise<T | undefined> | T | undefined,
  options: { timeoutMs: number; signal?: AbortSignal | undefined },
): Promise<T | undefined> {
  const until = Date.now() + options.timeoutMs;
  for (;;) {
    options.signal?.throwIfAborted();
    const answer = await probe();
    if (answer !== undefined) return answer;
    if (Date.now() >= until) return undefined;
    await delay(15, undefined, options.signal ? { signal: options.signal } : {});
  }
}
