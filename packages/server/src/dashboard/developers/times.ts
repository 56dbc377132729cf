import { invalidParam } from '@till/contract';
import { isoSeconds } from '../../lib/clock.ts';

/** @throws ApiError `invalid_params` for a date that no calendar has */
export function readTime(name: string, text: string): Date {
  const time = new Date(text);
  if (!Number.isNaN(time.getTime()) && isoSeconds(time) === text) return time;
  throw invalidParam(name, `${name} must be a time that exists, such as 2026-11-20T12:00:00Z.`);
}

/** The bounds of a list. @throws ApiError `invalid_params` */
export const readRange = ({ from, to }: { readonly from?: string; readonly to?: string }) => ({
  from: from === undefined ? undefined : readTime('from', from),
  to: to === undefined ? undefined : readTime('to', to),
});

export const showTime = (time: Date | null): string | null => time && isoSeconds(time);

const lastOfIds = 36 ** 8 - 1;

/** Where ids of a time begin, with this prefix: they sort by time. */
export function idsFrom(prefix: 'dlv' | 'evt', time: Date): string {
  const milliseconds = Math.min(Math.max(0, time.getTime()), lastOfIds);
  return `${prefix}_${milliseconds.toString(36).padStart(8, '0')}`;
}
