import type { Clock } from '../lib/clock.ts';

/**
 * Runs `work` periodically, each time `intervalMs` after the previous run ended. An error is reported and does not end the loop.
 * @param work should end soon after its signal aborts, and leave further work to the next start of the process
 * @returns a function that stops the loop, and resolves once the current run has ended
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
