import type { Clock } from '../lib/clock.ts';

/** Gaps between recovery's attempts: 5 s, 40 s (so still within the first minute), 5 min, 30 min, then an hour each. */
const seconds = [5, 40, 300, 1800, 3600];

/** Returns when recovery tries an operation next (real time). @param tries how often it was tried already */
export function nextTry({ clock }: { readonly clock: Pick<Clock, 'now'> }, tries: number): Date {
  const wait = seconds[Math.min(tries, seconds.length - 1)] ?? 3600;
  return new Date(clock.now().getTime() + wait * 1000);
}

/** Recovery leaves an unanswered charge to the merchant's retry, which has the card data, until it counts this many tries. */
export const triesLeftToRetries = 2;
