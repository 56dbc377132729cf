import type { Clock } from '../../lib/clock.ts';
import { isFenced } from './errors.ts';

/** A server gives an account back, or completes its move, within seven seconds (cells/move/mend.ts). */
const longestFenceMs = 10_000;
const pauseMs = 100;

/**
 * Writes what became of a request to a processor. While the account is fenced by a move this waits, since the account may
 * stay where it is, and an operation whose end is not written is leased for minutes.
 * @throws what `write` throws: at once where the account is elsewhere by then, else after ten seconds
 */
export async function pastFence<T>(
  clock: Pick<Clock, 'elapsed' | 'delay'>,
  write: () => Promise<T>,
): Promise<T> {
  const until = clock.elapsed() + longestFenceMs;
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isFenced(error) || clock.elapsed() >= until) throw error;
      await clock.delay(pauseMs);
    }
  }
}
