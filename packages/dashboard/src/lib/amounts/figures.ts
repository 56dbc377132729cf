import { countText } from '../wording/plural.ts';
import { english } from './language.ts';

/** A part of a whole as a percentage from 0 to 100; null if the whole is 0. */
export const percentOf = (part: number, whole: number): number | null =>
  whole === 0 ? null : (part / whole) * 100;

const oneDecimal = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** A percentage as text: `12.3 %`. */
export const percentText = (percent: number): string => `${oneDecimal.format(percent)} %`;

export const sum = (values: readonly (number | null)[]): number =>
  values.reduce<number>((total, value) => total + (value ?? 0), 0);

/** The change of a figure between two periods. */
export interface Change {
  readonly text: string;
  readonly up: boolean;
}

const signed = (text: string, value: number) => `${value < 0 ? '−' : '+'}${text}`;

/** The change of an amount or a number; undefined if there is nothing to compare with, or no change. */
export function changeOf(now: number, before: number): Change | undefined {
  if (before === 0 || now === before) return undefined;
  const percent = ((now - before) / before) * 100;
  const size = Math.abs(percent);
  // From a very small base a percentage would be meaningless.
  if (size >= 1000) return { text: `×${countText(now / before)}`, up: true };
  return {
    text: signed(`${size < 10 ? oneDecimal.format(size) : countText(size)} %`, percent),
    up: percent > 0,
  };
}

/** The change of a percentage, in percentage points. */
export function pointsOf(now: number | null, before: number | null): Change | undefined {
  if (now === null || before === null) return undefined;
  const points = now - before;
  if (Math.abs(points) < 0.05) return undefined;
  return { text: signed(`${oneDecimal.format(Math.abs(points))} points`, points), up: points > 0 };
}

const write = (date: string, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(english(), { ...options, timeZone: 'UTC' }).format(Date.parse(`${date}T00:00:00Z`));

/** A day as a label: `20 Nov`. @param day `YYYY-MM-DD` */
export const dayLabel = (day: string): string => write(day, { day: 'numeric', month: 'short' });

/** A month as a label: `Nov 2026`. @param month `YYYY-MM` */
export const monthLabel = (month: string): string =>
  write(`${month}-01`, { month: 'short', year: 'numeric' });

/** The name of a currency: `Euro`. */
export function currencyName(code: string): string {
  try {
    return new Intl.DisplayNames('en', { type: 'currency' }).of(code) ?? code;
  } catch {
    return code;
  }
}

/** The largest value and its index; undefined if all values are null. */
export function greatest(
  values: readonly (number | null)[],
): { readonly value: number; readonly place: number } | undefined {
  let found: { value: number; place: number } | undefined;
  for (const [place, value] of values.entries()) {
    if (value !== null && (found === undefined || value > found.value)) found = { value, place };
  }
  return found;
}
