import { expect, it } from 'vitest';
import type { Queryable } from '../database.ts';
import { ClockError, clockSkewMs, earlierNow, requireSameTime } from './clock-skew.ts';

const noon = Date.parse('2026-11-28T12:00:00Z');
const second = 1000;
/** A database whose clock is so far ahead of this machine's. */
const databaseAt = (aheadMs: number) =>
  ({ query: async () => [{ now: new Date(noon + aheadMs) }] }) as unknown as Queryable;
const clock = { now: () => new Date(noon) };

it.each([0, 59, -59])('a difference of %i seconds is none', async (seconds) => {
  await expect(requireSameTime(databaseAt(seconds * second), clock)).resolves.toBeUndefined();
});

it.each([
  [61, '61 seconds behind'],
  [-86_400, '86400 seconds ahead of'],
])('refuses a database that is %i seconds ahead', async (seconds, words) => {
  const refused = requireSameTime(databaseAt(seconds * second), clock);
  await expect(refused).rejects.toBeInstanceOf(ClockError);
  await expect(refused).rejects.toThrow(words);
});

it('what the answer took to come is no difference', async () => {
  let now = noon;
  const slow = {
    now: () => {
      now += 90 * second;
      return new Date(now);
    },
  };
  expect(await clockSkewMs(databaseAt(100 * second), slow)).toBe(0);
});

it('of two clocks the earlier says what is old', async () => {
  expect(await earlierNow(databaseAt(-second), clock)).toEqual(new Date(noon - second));
  expect(await earlierNow(databaseAt(second), clock)).toEqual(new Date(noon));
});
