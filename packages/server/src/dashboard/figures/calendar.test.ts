import { describe, expect, it } from 'vitest';
import { Calendar } from './calendar.ts';

const shown = (zone: string, now: string, count: number) =>
  new Calendar(zone).days(new Date(now), count).map(({ label, from }) => `${label} ${from.toISOString()}`);

describe('days', () => {
  it('begin at midnight of the zone', () => {
    expect(shown('UTC', '2026-11-20T23:59:59Z', 2)).toEqual([
      '2026-11-19 2026-11-19T00:00:00.000Z',
      '2026-11-20 2026-11-20T00:00:00.000Z',
    ]);
    expect(shown('Asia/Kathmandu', '2026-11-20T18:14:59Z', 1)).toEqual([
      '2026-11-20 2026-11-19T18:15:00.000Z',
    ]);
    expect(shown('Asia/Kathmandu', '2026-11-20T18:15:00Z', 1)).toEqual([
      '2026-11-21 2026-11-20T18:15:00.000Z',
    ]);
    expect(shown('Pacific/Kiritimati', '2026-12-31T10:00:00Z', 1)).toEqual([
      '2027-01-01 2026-12-31T10:00:00.000Z',
    ]);
  });

  it('are longer or shorter where the clock is changed', () => {
    expect(shown('Europe/Berlin', '2026-03-30T08:00:00Z', 3)).toEqual([
      '2026-03-28 2026-03-27T23:00:00.000Z',
      '2026-03-29 2026-03-28T23:00:00.000Z',
      '2026-03-30 2026-03-29T22:00:00.000Z',
    ]);
    expect(shown('America/New_York', '2026-11-02T12:00:00Z', 2)).toEqual([
      '2026-11-01 2026-11-01T04:00:00.000Z',
      '2026-11-02 2026-11-02T05:00:00.000Z',
    ]);
  });

  it('begin with the first moment of a day whose midnight is skipped or comes twice', () => {
    expect(shown('Africa/Cairo', '2026-04-24T12:00:00Z', 1)).toEqual(['2026-04-24 2026-04-23T22:00:00.000Z']);
    expect(shown('America/Havana', '2026-11-01T12:00:00Z', 1)).toEqual([
      '2026-11-01 2026-11-01T04:00:00.000Z',
    ]);
  });

  it('reach over the ends of months and years', () => {
    expect(shown('UTC', '2028-03-01T00:00:00Z', 3).map((line) => line.slice(0, 10))).toEqual([
      '2028-02-28',
      '2028-02-29',
      '2028-03-01',
    ]);
  });
});

describe('months', () => {
  it('begin with their first day', () => {
    const months = new Calendar('Europe/Berlin').months(new Date('2027-01-15T12:00:00Z'), 3);
    expect(months.map(({ label, from }) => `${label} ${from.toISOString()}`)).toEqual([
      '2026-11 2026-10-31T23:00:00.000Z',
      '2026-12 2026-11-30T23:00:00.000Z',
      '2027-01 2026-12-31T23:00:00.000Z',
    ]);
  });
});

it('refuses a zone that does not exist', () => {
  expect(() => new Calendar('Europe/Nowhere')).toThrow('time_zone must be');
  expect(() => new Calendar('')).toThrow('time_zone must be');
});
