import { InvalidArgumentError } from 'commander';

const iso = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;
/** Nine or ten digits, which is from 1973 on; so a year or a date without hyphens is not taken for seconds. */
const unixSeconds = /^(0|\d{9,10})$/;

/**
 * Parses the time of an option: a date, which means its beginning in UTC, a time with its zone, or Unix seconds. `Date` alone
 * would accept almost anything, for example "20 Nov" as a day of 2001.
 * @throws InvalidArgumentError
 */
export function moment(text: string): Date {
  if (unixSeconds.test(text)) return new Date(Number(text) * 1000);
  const [, day] = iso.exec(text) ?? [];
  const time = new Date(day === undefined ? Number.NaN : text);
  // `Date` moves a day that the month does not have into the next month.
  if (!Number.isNaN(time.getTime()) && new Date(`${day}T00:00:00Z`).toISOString().startsWith(`${day}T`)) {
    return time;
  }
  throw new InvalidArgumentError('a time such as 2026-11-20T12:00:00Z');
}
