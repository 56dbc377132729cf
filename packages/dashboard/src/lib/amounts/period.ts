import { isDay, isoOfDay } from './time.ts';
import { dateAt } from './zone.ts';

/** Periods that move with the current day, and one fixed period between two days. */
export const periods = [
  ['today', 'Today'],
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days'],
  ['month', 'This month'],
  ['last_month', 'Last month'],
] as const;
export type PeriodName = (typeof periods)[number][0];

/** A period as the URL contains it: by name, as days, or with an exact end. Each value may be ''. */
export interface PeriodQuery {
  readonly period: string;
  /** `YYYY-MM-DD`. */
  readonly from: string;
  /** `YYYY-MM-DD`, inclusive. */
  readonly to: string;
  /** An exact time, exclusive. */
  readonly before: string;
}

/** A period for the query of a list, in ISO 8601 in UTC. */
export interface PeriodRange {
  readonly created_gte?: string;
  readonly created_lt?: string;
}

const isMoment = (text: string) =>
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/.test(text) && !Number.isNaN(Date.parse(text));

/** The day `YYYY-MM-DD` in the account's time zone. @param later number of days to add */
export function dayOf(now: number, later = 0): string {
  const { year, month, day } = dateAt(now, later);
  return textOf(year, month, day);
}

const textOf = (year: number, month: number, day: number): string =>
  new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10);

/** The first and the last day of a period; undefined if the period is open at that end. */
function daysOf(period: string, now: number): { readonly from?: string; readonly to?: string } {
  const { year, month } = dateAt(now);
  switch (period) {
    case 'today':
      return { from: dayOf(now) };
    case '7d':
      return { from: dayOf(now, -6) };
    case '30d':
      return { from: dayOf(now, -29) };
    case 'month':
      return { from: textOf(year, month, 1) };
    case 'last_month':
      return { from: textOf(year, month - 1, 1), to: textOf(year, month, 0) };
    default:
      return {};
  }
}

/**
 * The range of a period in the account's time zone. Invalid values are ignored.
 * @param now the account's time in milliseconds
 */
export function rangeOf(query: PeriodQuery, now: number): PeriodRange {
  const days = daysOf(query.period, now);
  const from = isDay(query.from) ? query.from : days.from;
  const to = isDay(query.to) ? query.to : days.to;
  const ends = [
    ...(to === undefined ? [] : [isoOfDay(to, 1)]),
    ...(isMoment(query.before) ? [query.before] : []),
  ].toSorted();
  return {
    ...(from === undefined ? {} : { created_gte: isoOfDay(from) }),
    ...(ends[0] === undefined ? {} : { created_lt: ends[0] }),
  };
}
