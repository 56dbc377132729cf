import { invalidParam } from '@till/contract';
import { isoSeconds } from '../../lib/clock.ts';

/** @throws ApiError `invalid_params` if the date does not exist in the calendar */
export function readTime(name: string, text: string): Date {
  const time = new Date(text);
  if (!Number.isNaN(time.getTime()) && isoSeconds(time) === text) return time;
  throw invalidParam(name, `${name} must be a time that exists, such as 2026-11-20T12:00:00Z.`);
}

/** The time range that a list's query asks for. @throws ApiError `invalid_params` */
export const readRange = ({ from, to }: { readonly from?: string; readonly to?: string }) => ({
  from: from === undefined ? undefined : readTime('from', from),
  to: to === undefined ? undefined : readTime('to', to),
});

export const showTime = (time: Date | null): string | null => time && isoSeconds(time);
