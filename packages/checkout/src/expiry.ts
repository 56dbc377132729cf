import { westernDigits } from './cards.ts';

interface TypedExpiry {
  readonly month: string;
  /** Whether both digits of the month are known. */
  readonly ended: boolean;
  readonly year: string;
}

function split(text: string): TypedExpiry {
  const value = westernDigits(text);
  const [, isoYear, isoMonth] = /^(\d{4})-(\d{2})$/.exec(value) ?? [];
  if (isoYear !== undefined && isoMonth !== undefined) return { month: isoMonth, ended: true, year: isoYear };
  const [, first = '', separator = '', second = ''] = /^(\d*)(\D*)(.*)$/.exec(value) ?? [];
  if (separator !== '' && first.length > 0 && first.length <= 2) {
    return { month: first.padStart(2, '0'), ended: true, year: second.replace(/\D/g, '') };
  }
  const digits = value.replace(/\D/g, '');
  // A first digit of 2 to 9, or 1 followed by 3 to 9, cannot start a two-digit month: that one digit is the whole
  // month.
  const short = /^([2-9]|1[3-9])/.test(digits);
  if (short) return { month: `0${digits[0]}`, ended: true, year: digits.slice(1) };
  return { month: digits.slice(0, 2), ended: digits.length >= 2, year: digits.slice(2) };
}

/**
 * Formats the date as `MM/YY` or `MM/YYYY` while it is typed. The slash is inserted automatically, because number pads
 * have none.
 * @param deleting whether the last edit deleted text: then a trailing slash is not added again
 */
export function formatExpiry(text: string, deleting: boolean): string {
  const { month, ended, year } = split(text);
  if (!ended || (deleting && year === '')) return month;
  return `${month}/${year.slice(0, 4)}`;
}

/** Month and four-digit year as one number, e.g. 203003; null if the text is not a date. */
export function readExpiry(text: string): number | null {
  const { month, ended, year } = split(text.trim());
  const full = year.length === 2 ? 2000 + Number(year) : Number(year);
  const valid = ended && /^(\d{2}|\d{4})$/.test(year) && Number(month) >= 1 && Number(month) <= 12;
  return valid ? full * 100 + Number(month) : null;
}
