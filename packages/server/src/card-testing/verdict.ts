import { type CardTestingKind, type CardTestingLimits, cardTestingKinds } from '@till/contract/dashboard';

/** The length of the window in which declines count, in milliseconds. */
export const windowMs = 3_600_000;
const firstDelayMs = 1_000;
const maxDelayMs = 8_000;

/** A number per kind; kinds that are not counted are absent. */
export type PerKind = Readonly<Partial<Record<CardTestingKind, number>>>;

/** How an attempt is treated, and because of which count. */
export type Verdict =
  | { readonly effect: 'none' }
  | { readonly effect: 'slowed'; readonly because: CardTestingKind; readonly delayMs: number }
  | { readonly effect: 'refused'; readonly because: CardTestingKind };

const isReached = (count: number, limit: number | null): limit is number => limit !== null && count >= limit;

/**
 * Applies the limits to an attempt before its card is sent. A refusal takes precedence over a delay, and the longest delay wins.
 * @param declines the numbers of declines within the window
 */
export function verdictOn(limits: CardTestingLimits, declines: PerKind): Verdict {
  let verdict: Verdict = { effect: 'none' };
  let longest = 0;
  for (const kind of cardTestingKinds) {
    const count = declines[kind] ?? 0;
    const { slow_after: slow, refuse_after: refuse } = limits[kind];
    if (isReached(count, refuse)) return { effect: 'refused', because: kind };
    if (!isReached(count, slow)) continue;
    const delayMs = Math.min(firstDelayMs * 2 ** Math.min(count - slow, 10), maxDelayMs);
    if (delayMs <= longest) continue;
    longest = delayMs;
    verdict = { effect: 'slowed', because: kind, delayMs };
  }
  return verdict;
}

/**
 * The kind of count that would exceed its limit if all open attempts were declined; null if there is none.
 * @param open the numbers of attempts being sent, including this one
 */
export function fullOf(limits: CardTestingLimits, declines: PerKind, open: PerKind): CardTestingKind | null {
  const isFull = (kind: CardTestingKind) => {
    const { refuse_after: refuse } = limits[kind];
    return refuse !== null && (declines[kind] ?? 0) + (open[kind] ?? 0) > refuse;
  };
  return cardTestingKinds.find(isFull) ?? null;
}
