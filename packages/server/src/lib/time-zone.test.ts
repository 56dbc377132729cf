import { expect, it } from 'vitest';
import { isTimeZone, localTime, monthIn } from './time-zone.ts';

it('knows the names of zones', () => {
  expect(['UTC', 'Europe/Berlin', 'Asia/Kathmandu'].map(isTimeZone)).toEqual([true, true, true]);
  expect(['', 'Berlin', 'Europe/Nowhere', '+99:00'].map(isTimeZone)).toEqual([false, false, false, false]);
});

it('shows a moment as the clock there does', () => {
  const moment = new Date('2026-11-30T23:30:00Z');
  expect(localTime(moment, 'Europe/Berlin')).toEqual({ day: '2026-12-01', time: '00:30:00' });
  expect(localTime(moment, 'America/New_York')).toEqual({ day: '2026-11-30', time: '18:30:00' });
});

it.each([
  ['2026-11', 'UTC', '2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z'],
  // Daylight saving time ends within this month.
  ['2026-10', 'Europe/Berlin', '2026-09-30T22:00:00.000Z', '2026-10-31T23:00:00.000Z'],
  ['2026-12', 'Asia/Kathmandu', '2026-11-30T18:15:00.000Z', '2026-12-31T18:15:00.000Z'],
  // The clock skips the first midnight of this month, which therefore begins at one o'clock.
  ['2023-10', 'America/Asuncion', '2023-10-01T04:00:00.000Z', '2023-11-01T03:00:00.000Z'],
  ['2026-03', 'America/New_York', '2026-03-01T05:00:00.000Z', '2026-04-01T04:00:00.000Z'],
])('%s in %s lasts from %s to %s', (month, zone, from, to) => {
  const range = monthIn(month, zone);
  expect([range.from.toISOString(), range.to.toISOString()]).toEqual([from, to]);
});
