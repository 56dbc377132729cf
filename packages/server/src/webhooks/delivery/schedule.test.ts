import { describe, expect, it } from 'vitest';
import { nextAttempt } from './schedule.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const schedule = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour];
const now = new Date('2026-11-20T12:00:00Z');

const gap = (failures: number, chance = 0.5, retryAfter?: string) => {
  const next = nextAttempt(schedule, { failures, now, chance, retryAfter });
  return next === null ? null : next.getTime() - now.getTime();
};

describe('the next attempt', () => {
  it('follows the schedule and ends with it', () => {
    expect([1, 2, 3, 4, 5, 6].map((failures) => gap(failures))).toEqual(schedule);
    expect(gap(7)).toBeNull();
    expect(gap(8)).toBeNull();
  });

  it('varies by a tenth either way', () => {
    for (const [index, usual] of schedule.entries()) {
      expect(gap(index + 1, 0)).toBe((usual * 9) / 10);
      expect(gap(index + 1, 1)).toBe((usual * 11) / 10);
    }
  });

  it('waits for Retry-After, in seconds or as a date, but no longer than the gap that follows', () => {
    expect(gap(1, 0.5, '60')).toBe(minute);
    expect(gap(1, 0.5, 'Fri, 20 Nov 2026 12:02:00 GMT')).toBe(2 * minute);
    expect(gap(1, 0.5, '86400')).toBe(5 * minute);
    expect(gap(6, 0.5, '86400')).toBe(10 * hour);
  });

  it.each(['1', '0', '-5', 'soon', '', '99999999999', 'Fri, 20 Nov 2020 12:00:00 GMT'])(
    'does not come sooner for Retry-After: %s',
    (retryAfter) => {
      expect(gap(1, 0.5, retryAfter)).toBe(5 * second);
    },
  );

  it('never comes where the schedule is empty', () => {
    expect(nextAttempt([], { failures: 1, now, chance: 0.5, retryAfter: '5' })).toBeNull();
  });
});
