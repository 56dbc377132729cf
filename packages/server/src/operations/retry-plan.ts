import type { Clock } from '../lib/clock.ts';

/** Recovery looks after 5 s, within the first minute, after 5 min, 30 min, then hourly. */
const seconds = [5, 40, 300, 1800, 3600];

/** Real time of the next look at an operation that was tried so often. */
export function nextTry({ clock }: { readonly clock: Pick<Clock, 'now'> }, tries: number): Date {
  const wait = seconds[Math.min(tries, seconds.length - 1)] ?? 3600;
  return new Date(clock.now().getTime() + wait * 1000);
}

/** How often recovery leaves an unanswered charge to the merchant's retry, which has the card. */
export const triesLeftToRetries = 2;
