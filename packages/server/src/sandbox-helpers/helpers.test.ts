import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../lib/clock.ts';
import { Lines } from '../lib/waiting/lines.ts';
import { createTestDatabase, type TestDatabase } from '../vault/test-database.ts';
import { advanceTestClock } from './helpers.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it('of many moves of one account’s clock one works at a time, without a place among the requests', async () => {
  const accountId = await database.openAccount();
  const now = new Date();
  let places = 5;
  const suspend = async <T>(work: () => Promise<T>): Promise<T> => {
    places -= 1;
    return work().finally(() => {
      places += 1;
    });
  };
  let working = 0;
  const seen: number[] = [];
  const deps = {
    accounts: {
      db: database.db,
      clock: { ...systemClock, now: () => now },
      randomBytes: () => Buffer.alloc(0),
    },
    clockMoves: new Lines(),
    onClockMoved: async () => {
      working += 1;
      await database.db.query({ text: 'select 1', scope: { accountId } });
      seen.push(working);
      working -= 1;
    },
  };
  const moves = Array.from({ length: 5 }, () => advanceTestClock(deps, { accountId, suspend }, 60));
  expect(places).toBe(0);
  const times = await Promise.all(moves);
  expect(seen).toEqual([1, 1, 1, 1, 1]);
  const minutes = times.map((time) => (time.getTime() - now.getTime()) / 60_000);
  expect(minutes).toEqual([1, 2, 3, 4, 5]);
});
