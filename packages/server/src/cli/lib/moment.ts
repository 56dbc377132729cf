import { InvalidArgumentError } from 'commander';

const iso = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;
/** From 1973 on; a year or a date without hyphens has fewer digits. */
const unixSeconds = /^(0|\d{9,10})$/;

/**
 * A moment as options take it: a date, which begins in UTC, a time with its zone, or Unix seconds. `Date` reads anything else
 * as some time too: "20 Nov" as one of 2001.
 * @throws InvalidArgumentError
 */
export function moment(text: string): Date {
  if (unixSeconds.test(text)) return new Date(Number(text) * 1000);
  const [, day] = iso.exec(text) ?? [];
  const time = new Date(day === undefined ? Number.NaN : text);
  // It moves days that a month does not have into the next one.
  if (!Number.isNaN(time.getTime()) && new Date(`${day}T00:00:00Z`).toISOString().startsWith(`${day}T`)) {
    return time;
  }
  throw new InvalidArgumentError('a time such as 2026-11-20T12:00:00Z');
}
