import type { Clock } from '../../lib/clock.ts';
import { sqlState } from './errors.ts';

/** SQLSTATE cannot_connect_now: the server is starting, or recovering from the crash of one of its processes. */
const isStarting = (error: unknown) => sqlState(error) === '57P03';
const pollIntervalMs = 100;

/**
 * Waits while a database server runs but does not accept connections yet.
 * @param look runs a query @param timeoutMs the longest wait
 * @throws the error of the last `look` after the timeout, and any other error of `look` at once
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
