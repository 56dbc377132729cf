import { setTimeout as delay } from 'node:timers/promises';

const pauseMs = 20;

/**
 * Asks again and again until the condition answers something other than undefined or false, and returns that.
 * @param what names the condition in the error, for the reader of a failed test
 * @throws Error where the deadline passes first
 */
export async function until<T>(
  what: string,
  condition: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = 20_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const answer = await condition();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await delay(pauseMs);
  }
}
