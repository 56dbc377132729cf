import type { Clock } from '../lib/clock.ts';

/**
 * Runs `work` again and again, `intervalMs` after it ended, until stopped. An error is reported and does not end it.
 * @param work its signal aborts once it is to end: what it has not begun by then is left to the next start
 * @returns stops it; resolves once a run that is under way has ended
 */
export function periodically(
  clock: Clock,
  intervalMs: number,
  work: (stopping: AbortSignal) => Promise<void>,
  onError: (error: unknown) => void,
): () => Promise<void> {
  const stopping = new AbortController();
  const loop = (async () => {
    while (!stopping.signal.aborted) {
      try {
        await work(stopping.signal);
      } catch (error) {
        onError(error);
      }
      await clock.delay(intervalMs, stopping.signal);
    }
  })();
  return async () => {
    stopping.abort();
    await loop;
  };
}
