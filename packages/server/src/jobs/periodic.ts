import type { Clock } from '../lib/clock.ts';

/**
 * Runs `work` again and again, `everyMs` after it ended, until stopped. An error is reported and does not end it.
 * @returns stops it; resolves once a run that is under way has ended
 */
export function periodically(
  clock: Clock,
  everyMs: number,
  work: () => Promise<void>,
  onError: (error: unknown) => void,
): () => Promise<void> {
  const stopping = new AbortController();
  const loop = (async () => {
    while (!stopping.signal.aborted) {
      try {
        await work();
      } catch (error) {
        onError(error);
      }
      await clock.delay(everyMs, stopping.signal);
    }
  })();
  return async () => {
    stopping.abort();
    await loop;
  };
}
