import { describe, expect, it } from 'vitest';
import {
  formatDate,
  formatDistance,
  formatDuration,
  formatNamedTime,
  isoOfClock,
  millisecondsOf,
} from './time.ts';
import { showTimesIn } from './zone.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

describe('a duration', () => {
  it.each([
    [30_000, 'less than a minute'],
    [42 * minute, '42 min'],
    [5 * hour, '5 h'],
    [5 * hour + 3 * minute, '5 h 3 min'],
    [day, '1 day'],
    [3 * day + 4 * hour + 59 * minute, '3 days 4 h'],
    [-2 * day, '2 days'],
  ])('of %i ms reads %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});

describe('the distance of a moment', () => {
  const now = Date.parse('2026-11-20T12:00:00Z');
  it.each([
    ['2026-11-20T11:59:40Z', 'just now'],
    ['2026-11-20T12:00:20Z', 'in less than a minute'],
    ['2026-11-20T11:55:00Z', '5 min ago'],
    ['2026-11-20T09:00:00Z', '3 h ago'],
    ['2026-11-19T12:00:00Z', '1 day ago'],
    ['2026-11-23T12:00:00Z', 'in 3 days'],
  ])('%s reads %s', (moment, text) => {
    expect(formatDistance(moment, now)).toBe(text);
  });

  it('takes Unix seconds too', () => {
    expect(millisecondsOf(1_795_176_000)).toBe(now);
    expect(formatDistance(1_795_176_000 - 300, now)).toBe('5 min ago');
  });
});

it('a moment is written in the account’s zone, with its name', () => {
  showTimesIn('Europe/Berlin');
  expect(formatNamedTime('2026-11-20T12:00:00Z')).toBe('20 Nov 2026, 13:00 CET');
  expect(formatNamedTime('2026-07-20T12:00:00Z')).toBe('20 Jul 2026, 14:00 CEST');
  showTimesIn('Pacific/Kiritimati');
  expect(formatDate('2026-11-20')).toBe('20 Nov 2026');
  showTimesIn('UTC');
});

it.each([
  ['Europe/Berlin', '2026-11-20T13:00', '2026-11-20T12:00:00Z'],
  ['Europe/Berlin', '2026-07-20T14:00:30', '2026-07-20T12:00:30Z'],
  ['America/New_York', '2026-11-20T20:15', '2026-11-21T01:15:00Z'],
  ['UTC', '', undefined],
])('what clocks of %s show, %s, is %s', (zone, typed, moment) => {
  showTimesIn(zone);
  expect(isoOfClock(typed)).toBe(moment);
  showTimesIn('UTC');
});
