import { TillError } from './errors.ts';
import type { Request } from './request.ts';
import type { Clock } from './system.ts';

const firstPauseMs = 500;
const maxPauseMs = 8_000;
/**
 * If `Retry-After` is longer, the client throws and leaves the retry to the caller instead of blocking the
 * call that long.
 */
const maxRetryAfterSeconds = 30;

/**
 * Calculates the pause before the next attempt of a call.
 * @param attempt the number of attempts made so far
 * @param random a number from 0 up to but excluding 1, which picks a pause between half of the doubled value
 *   and all of it
 * @returns milliseconds, or undefined if the call must not be retried
 */
export function pauseBeforeRetry(
  error: unknown,
  request: Pick<Request, 'isRepeatable'>,
  attempt: number,
  random: number,
): number | undefined {
  if (!(error instanceof TillError) || !error.retryable) return undefined;
  // // The server did not process a rate-limited request.
  if (!request.isRepeatable && error.status !== 429) return undefined;
  const asked = error.retryAfterSeconds ?? 0;
  if (asked > maxRetryAfterSeconds) return undefined;
  const doubled = Math.min(maxPauseMs, firstPauseMs * 2 ** (attempt - 1));
  return asked * 1000 + doubled * (0.5 + random / 2);
}

/** Resolves after `ms` milliseconds. Rejects with the signal's reason as soon as the signal aborts. */
export function delay(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', stop);
      resolve();
    });
    const stop = () => {
      cancel();
      reject(signal?.reason);
    };
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
