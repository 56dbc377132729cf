import { dateFormat } from './formatters.ts';

let shown: string | undefined;

/** The reader's own time zone, as IANA names it. */
const readersTimeZone = (): string => dateFormat(undefined, {}).resolvedOptions().timeZone;

/** Shows all times from now on in this zone: the account's. @param zone IANA name */
export function showTimesIn(zone: string): void {
  shown = zone;
}

/** IANA name of the zone in which times are shown; the reader's while no account is open. */
export const timeZone = (): string => shown ?? readersTimeZone();

/** The reader's zone where it differs from the one shown; undefined where it does not. */
export function otherTimeZone(): string | undefined {
  const own = readersTimeZone();
  return own === timeZone() ? undefined : own;
}

/** The short name of the zone at a moment, which differs in summer: `CET`. */
export const zoneName = (ms: number): string =>
  dateFormat('en-GB', { timeZone: timeZone(), timeZoneName: 'short' })
    .formatToParts(ms)
    .find(({ type }) => type === 'timeZoneName')?.value ?? '';

/** What the zone's clocks show at a moment, as if it were UTC: milliseconds. */
function wallClock(ms: number): number {
  const parts = dateFormat('en-US', {
    timeZone: timeZone(),
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(ms);
  const part = (name: string) => Number(parts.find(({ type }) => type === name)?.value);
  const [month, second] = [part('month') - 1, part('second')];
  return Date.UTC(part('year'), month, part('day'), part('hour'), part('minute'), second);
}

/** The day of a moment in the zone. @param later days to add */
export function dateAt(ms: number, later = 0): { year: number; month: number; day: number } {
  const date = new Date(wallClock(ms) + later * 86_400_000);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth(), day: date.getUTCDate() };
}

/** When the zone's clocks show a time. @param clock the same as if in UTC @returns milliseconds */
export function beginOf(clock: number): number {
  const ahead = (ms: number) => wallClock(ms) - Math.floor(ms / 1000) * 1000;
  // A second look, since the offset may change between midnight in UTC and midnight there.
  const found = clock - ahead(clock - ahead(clock));
  // A time that the clocks skip, as midnight in Santiago, is when they go on: that look lands an hour before.
  return wallClock(found) < clock ? clock - ahead(clock) : found;
}
