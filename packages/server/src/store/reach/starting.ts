import type { Clock } from '../../lib/clock.ts';
import { sqlState } from './errors.ts';

/** SQLSTATE cannot_connect_now: the server starts, or recovers from the crash of one of its processes. */
const isStarting = (error: unknown) => sqlState(error) === '57P03';
const pollIntervalMs = 100;

/**
 * Waits while a database that is there takes no connections yet.
 * @param look asks it for something @param timeoutMs how long at most @throws the error of the last look, and every other one at once
 */
export async function untilStarted(
  look: () => Promise<unknown>,
  clock: Pick<Clock, 'elapsed' | 'delay'>,
  timeoutMs: number,
): Promise<void> {
  const end = clock.elapsed() + timeoutMs;
  for (;;) {
    try {
      await look();
      return;
    } catch (error) {
      if (!isStarting(error) || clock.elapsed() >= end) throw error;
    }
    await clock.delay(pollIntervalMs);
  }
}
