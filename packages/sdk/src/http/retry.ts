import { TillError } from './errors.ts';
import type { Request } from './request.ts';
import type { Clock } from './system.ts';

const firstPauseMs = 500;
const maxPauseMs = 8_000;
/** A longer `Retry-After` is left to the caller: the client does not hold a call that long. */
const maxRetryAfterSeconds = 30;

/**
 * Milliseconds to wait before a call is tried again; undefined where it is not.
 * @param attempt the number of attempts so far
 * @param random at least 0, below 1: each pause is between half and the whole of what doubling gives
 */
export function pauseBeforeRetry(
  error: unknown,
  request: Pick<Request, 'isRepeatable'>,
  attempt: number,
  random: number,
): number | undefined {
  if (!(error instanceof TillError) || !error.retryable) return undefined;
  // A rate-limited request was not processed.
  if (!request.isRepeatable && error.status !== 429) return undefined;
  const asked = error.retryAfterSeconds ?? 0;
  if (asked > maxRetryAfterSeconds) return undefined;
  const doubled = Math.min(maxPauseMs, firstPauseMs * 2 ** (attempt - 1));
  return asked * 1000 + doubled * (0.5 + random / 2);
}

/** Resolves after `ms` milliseconds; rejects with the signal's reason as soon as it aborts. */
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
