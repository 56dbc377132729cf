import { dateFormat } from './formatters.ts';

let shown: string | undefined;

/** The IANA name of the reader's own time zone. */
const readersTimeZone = (): string => dateFormat(undefined, {}).resolvedOptions().timeZone;

/** From now on shows all times in this zone, which is the account's. @param zone IANA name */
export function showTimesIn(zone: string): void {
  shown = zone;
}

/** The IANA name of the zone in which times are shown; the reader's zone if no account is open. */
export const timeZone = (): string => shown ?? readersTimeZone();

/** The reader's zone if it differs from the one shown; undefined otherwise. */
export function otherTimeZone(): string | undefined {
  const own = readersTimeZone();
  return own === timeZone() ? undefined : own;
}

/** The short name of the zone at a moment, because it differs in summer: `CET`. */
export const zoneName = (ms: number): string =>
  dateFormat('en-GB', { timeZone: timeZone(), timeZoneName: 'short' })
    .formatToParts(ms)
    .find(({ type }) => type === 'timeZoneName')?.value ?? '';

/** The local time of the zone at a moment, expressed as if it were UTC, in milliseconds. */
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

/** The calendar day of a moment in the zone. @param later number of days to add */
export function dateAt(ms: number, later = 0): { year: number; month: number; day: number } {
  const date = new Date(wallClock(ms) + later * 86_400_000);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth(), day: date.getUTCDate() };
}

/**
 * The moment at which the zone's clocks show a local time.
 * @param clock the local time as if it were UTC, in milliseconds
 * @returns milliseconds since 1970
 */
export function beginOf(clock: number): number {
  const ahead = (ms: number) => wallClock(ms) - Math.floor(ms / 1000) * 1000;
  // Computed twice, because the offset may change between midnight in UTC and midnight in the zone.
  const found = clock - ahead(clock - ahead(clock));
  // A local time that the clocks skip, such as midnight in Santiago, becomes the moment at which they resume; the
  // estimate would be an hour too early.
  return wallClock(found) < clock ? clock - ahead(clock) : found;
}
