import pg from 'pg';
import { expect, it } from 'vitest';
import { TestClock } from '../../vault/test-database.ts';
import { untilStarted } from './starting.ts';

const refusal = (code: string) =>
  Object.assign(new pg.DatabaseError('the database system is in recovery mode', 0, 'error'), { code });

/** A database that refuses the first `times` connections. */
function refusing(code: string, times: number) {
  let looks = 0;
  const look = async () => {
    looks += 1;
    if (looks <= times) throw refusal(code);
  };
  return { look, looks: () => looks };
}

it('waits while the database recovers from a crash', async () => {
  const { look, looks } = refusing('57P03', 3);
  const clock = new TestClock();
  const began = clock.elapsed();
  await untilStarted(look, clock, 10_000);
  expect([looks(), clock.elapsed() - began]).toEqual([4, 300]);
});

it('gives up after the time, and at once for any other refusal', async () => {
  const slow = refusing('57P03', Number.POSITIVE_INFINITY);
  await expect(untilStarted(slow.look, new TestClock(), 1_000)).rejects.toMatchObject({ code: '57P03' });
  expect(slow.looks()).toBe(11);
  const wrong = refusing('28P01', 1);
  await expect(untilStarted(wrong.look, new TestClock(), 1_000)).rejects.toMatchObject({ code: '28P01' });
  expect(wrong.looks()).toBe(1);
});
