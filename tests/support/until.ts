import { setTimeout as delay } from 'node:timers/promises';

const pauseMs = 20;

/**
 * Polls a condition until it returns something other than undefined or false, and returns that value.
 * @param what describes the condition in the error message of a failed test
 * @throws Error if the timeout expires first
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
