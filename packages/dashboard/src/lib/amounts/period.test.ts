import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dayOf, rangeOf } from './period.ts';
import { isoOfDay } from './time.ts';
import { showTimesIn } from './zone.ts';

const now = Date.parse('2026-03-05T13:30:00Z');
beforeAll(() => showTimesIn('UTC'));
const nothing = { period: '', from: '', to: '', before: '' };

describe('a period', () => {
  it.each([
    ['today', '2026-03-05', undefined],
    ['7d', '2026-02-27', undefined],
    ['30d', '2026-02-04', undefined],
    ['month', '2026-03-01', undefined],
    ['last_month', '2026-02-01', '2026-02-28'],
  ])('%s begins and ends with a day of the account', (period, from, to) => {
    expect(rangeOf({ ...nothing, period }, now)).toEqual({
      created_gte: isoOfDay(from),
      ...(to === undefined ? {} : { created_lt: isoOfDay(to, 1) }),
    });
  });

  it('between days includes both', () => {
    expect(rangeOf({ ...nothing, from: '2026-01-31', to: '2026-01-31' }, now)).toEqual({
      created_gte: isoOfDay('2026-01-31'),
      created_lt: isoOfDay('2026-02-01'),
    });
  });

  it('ends with the earlier of two ends', () => {
    const before = '2026-01-10T10:00:00Z';
    expect(rangeOf({ ...nothing, to: '2026-01-31', before }, now)).toEqual({ created_lt: before });
  });

  it('that is invalid is ignored', () => {
    expect(rangeOf({ period: 'ever', from: 'x', to: '1.2.', before: '2026' }, now)).toEqual({});
  });

  it('begins in the previous month at the start of a month', () => {
    expect(dayOf(Date.parse('2026-01-01T00:00:00Z'), -1)).toBe('2025-12-31');
  });
});

describe('in another zone than UTC', () => {
  beforeAll(() => showTimesIn('America/New_York'));
  afterAll(() => showTimesIn('UTC'));

  it('a day begins when it does there, in summer as in winter', () => {
    expect(isoOfDay('2026-01-31')).toBe('2026-01-31T05:00:00Z');
    expect(isoOfDay('2026-07-01')).toBe('2026-07-01T04:00:00Z');
    expect(isoOfDay('2026-03-08', 1)).toBe('2026-03-09T04:00:00Z');
  });

  it('today is the day there', () => {
    expect(dayOf(Date.parse('2026-03-05T03:00:00Z'))).toBe('2026-03-04');
  });
});

it.each([
  ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00Z'],
  ['America/Havana', '2026-03-08', '2026-03-08T05:00:00Z'],
  ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00Z'],
])('in %s the day whose midnight is skipped begins when the clock goes on', (zone, date, begins) => {
  showTimesIn(zone);
  expect(isoOfDay(date)).toBe(begins);
  showTimesIn('UTC');
});
