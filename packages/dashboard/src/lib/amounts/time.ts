import { countOf } from '../wording/plural.ts';
import { dateFormat } from './formatters.ts';
import { english } from './language.ts';
import { beginOf, otherTimeZone, timeZone, zoneName } from './zone.ts';

/** A moment as the dashboard receives it: ISO 8601 text or Unix seconds. */
export type Moment = string | number;

/** The moment in milliseconds since 1970. */
export const millisecondsOf = (moment: Moment): number =>
  typeof moment === 'number' ? moment * 1000 : Date.parse(moment);

/** Formats a moment. Text that is not a valid moment, which a URL may contain, is returned unchanged. */
function write(moment: Moment, options: Intl.DateTimeFormatOptions): string {
  const ms = millisecondsOf(moment);
  if (Number.isNaN(ms)) return String(moment);
  return dateFormat(english(), { timeZone: timeZone(), ...options }).format(ms);
}

/** An absolute time in the account's time zone: `20 Nov 2026, 14:32`. */
export const formatTime = (moment: Moment): string =>
  write(moment, { dateStyle: 'medium', timeStyle: 'short' });

/** An absolute time with the short name of the zone: `20 Nov 2026, 14:32 CET`. */
export const formatNamedTime = (moment: Moment): string =>
  `${formatTime(moment)} ${zoneName(millisecondsOf(moment))}`;

/** The time of day: `14:32`. */
export const formatClock = (moment: Moment): string => write(moment, { timeStyle: 'short' });

/**
 * An absolute time with seconds and the name of the time zone; also in the reader's zone if that is a different one.
 */
export function formatExactTime(moment: Moment): string {
  const other = otherTimeZone();
  const exact = write(moment, { dateStyle: 'full', timeStyle: 'long' });
  if (other === undefined) return exact;
  return `${exact}; here ${write(moment, { dateStyle: 'medium', timeStyle: 'long', timeZone: other })}`;
}

/** The day of a moment: `20 Nov 2026`. */
export const formatDay = (moment: Moment): string => write(moment, { dateStyle: 'medium' });

/** A calendar day: `20 Nov 2026`. @param day `YYYY-MM-DD` */
export const formatDate = (day: string): string =>
  isDay(day) ? write(`${day}T00:00:00Z`, { dateStyle: 'medium', timeZone: 'UTC' }) : day;

/** Whether a text is a calendar day: `2026-11-20`. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** A duration in at most two units: `3 days 4 h`, `42 min`, `less than a minute`. */
export function formatDuration(ms: number): string {
  const left = Math.abs(ms);
  if (left < minute) return 'less than a minute';
  if (left < hour) return `${Math.floor(left / minute)} min`;
  const hours = Math.floor((left % day) / hour);
  if (left < day) {
    const minutes = Math.floor((left % hour) / minute);
    return minutes === 0 ? `${hours} h` : `${hours} h ${minutes} min`;
  }
  const days = countOf(Math.floor(left / day), 'day');
  return hours === 0 ? days : `${days} ${hours} h`;
}

/** The distance of a moment from now: `just now`, `5 min ago`, `in 3 days`. */
export function formatDistance(moment: Moment, now: number): string {
  const ms = millisecondsOf(moment) - now;
  const left = Math.abs(ms);
  if (left < minute) return ms > 0 ? 'in less than a minute' : 'just now';
  const [size, word] = left < hour ? [minute, 'min'] : left < day ? [hour, 'h'] : [day, 'day'];
  const value = Math.floor(left / size);
  const text = word === 'day' ? countOf(value, word) : `${value} ${word}`;
  return ms > 0 ? `in ${text}` : `${text} ago`;
}

/** ISO 8601 in UTC, with seconds. */
export const isoOf = (ms: number): string => new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');

/**
 * The start of a day in the account's time zone, as ISO 8601 in UTC with seconds. Text that is not a day is returned
 * unchanged, so that the server rejects it.
 * @param date `YYYY-MM-DD`
 * @param later number of days to add: 1 for the end of that day
 */
export function isoOfDay(date: string, later = 0): string {
  if (!isDay(date)) return date;
  const [year = 0, month = 1, dayOfMonth = 1] = date.split('-').map(Number);
  return isoOf(beginOf(Date.UTC(year, month - 1, dayOfMonth + later)));
}

/**
 * The moment at which clocks in the account's time zone show the typed time, as ISO 8601 in UTC.
 * @param typed `YYYY-MM-DDTHH:MM`
 * @returns undefined if the text is incomplete
 */
export function isoOfClock(typed: string): string | undefined {
  const clock = Date.parse(`${typed}Z`);
  return Number.isNaN(clock) ? undefined : isoOf(beginOf(clock));
}
