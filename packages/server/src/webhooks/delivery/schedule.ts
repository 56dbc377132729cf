/** How far a gap may be shortened or lengthened, so that deliveries that failed together do not return together. */
const jitter = 0.1;

export interface FinishedAttempt {
  /** Attempts that have failed so far, this one included. */
  readonly failures: number;
  /** Real time of its end. */
  readonly now: Date;
  /** From 0 to 1, drawn at random. */
  readonly chance: number;
  /** The answer's `Retry-After` header. */
  readonly retryAfter: string | undefined;
}

/** What `Retry-After` asks for, in milliseconds from `now`: seconds or an HTTP date (RFC 9110, 10.2.3). */
function retryAfterMs(value: string | undefined, now: Date): number {
  if (value === undefined) return 0;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? 0 : date - now.getTime();
}

/**
 * When a failed delivery is tried again: after the next gap of the schedule, or later where the receiver asks for it,
 * but no later than after the gap that follows (decisions, "Webhooks").
 * @param schedule gaps after the first attempt, the second, …, in milliseconds
 * @returns null where the schedule is at its end: the delivery has failed for good
 */
export function nextAttempt(schedule: readonly number[], attempt: FinishedAttempt): Date | null {
  const gap = schedule[attempt.failures - 1];
  if (gap === undefined) return null;
  const longest = Math.max(gap, schedule[attempt.failures] ?? gap);
  const asked = Math.min(retryAfterMs(attempt.retryAfter, attempt.now), longest);
  const jittered = gap * (1 - jitter + 2 * jitter * attempt.chance);
  return new Date(attempt.now.getTime() + Math.round(Math.max(jittered, asked)));
}
