/**
 * The share by which a gap is shortened or lengthened at random, so that deliveries that failed together are not
 * retried together.
 */
const jitter = 0.1;

export interface FinishedAttempt {
  /** Attempts that have failed so far, this one included. */
  readonly failures: number;
  /** Real time at which the attempt ended. */
  readonly now: Date;
  /** A random number from 0 to 1. */
  readonly chance: number;
  /** The answer's `Retry-After` header. */
  readonly retryAfter: string | undefined;
}

/** The delay that `Retry-After` asks for, in milliseconds from `now`. It holds seconds or an HTTP date (RFC 9110, 10.2.3). */
function retryAfterMs(value: string | undefined, now: Date): number {
  if (value === undefined) return 0;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? 0 : date - now.getTime();
}

/**
 * When a failed delivery is retried: after the next gap of the schedule, or later if the receiver asks for that, but no
 * later than after the gap that follows (decisions, "Webhooks").
 * @param schedule gaps after the first attempt, the second, and so on, in milliseconds
 * @returns null if the schedule is exhausted and the delivery has failed for good
 */
export function nextAttempt(schedule: readonly number[], attempt: FinishedAttempt): Date | null {
  const gap = schedule[attempt.failures - 1];
  if (gap === undefined) return null;
  const longest = Math.max(gap, schedule[attempt.failures] ?? gap);
  const asked = Math.min(retryAfterMs(attempt.retryAfter, attempt.now), longest);
  const jittered = gap * (1 - jitter + 2 * jitter * attempt.chance);
  return new Date(attempt.now.getTime() + Math.round(Math.max(jittered, asked)));
}
