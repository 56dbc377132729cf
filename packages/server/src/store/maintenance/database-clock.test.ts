import { expect, it } from 'vitest';
import type { Clock } from '../../lib/clock.ts';
import type { Queryable } from '../database.ts';
import { DatabaseClock, differenceFrom } from './database-clock.ts';

const noon = Date.parse('2026-11-28T12:00:00Z');
const second = 1000;
const day = 86_400 * second;

/** A machine and a database whose times can be set, and a clock that follows the database. */
function setUp() {
  const times = { machine: noon, database: noon, elapsed: 500 };
  const system: Clock = {
    now: () => new Date(times.machine),
    elapsed: () => times.elapsed,
    delay: async () => {},
  };
  const db = { query: async () => [{ now: new Date(times.database) }] } as unknown as Queryable;
  const pass = (ms: number) => {
    for (const name of ['machine', 'database', 'elapsed'] as const) times[name] += ms;
  };
  return { times, db, system, pass, clock: new DatabaseClock(system) };
}

it.each([0, second, -second])('a difference of %i ms is let be', async (ms) => {
  const { times, db, clock } = setUp();
  times.database += ms;
  expect(await clock.follow(db)).toBe(0);
  expect(clock.now()).toEqual(new Date(noon));
});

it.each([day, -day])('of a machine that is wrong by %i ms the database’s time counts', async (ms) => {
  const { times, db, clock, pass } = setUp();
  times.database += ms;
  expect(await clock.follow(db)).toBe(ms);
  expect(clock.now()).toEqual(new Date(noon + ms));
  pass(60 * second);
  expect(clock.now()).toEqual(new Date(noon + ms + 60 * second));
  expect(await clock.follow(db)).toBe(0);
});

it('a machine whose time is set while it runs moves nothing', async () => {
  const { times, db, clock, pass } = setUp();
  await clock.follow(db);
  times.machine += day;
  pass(second);
  expect(clock.now()).toEqual(new Date(noon + second));
});

it('a machine that slept, or whose time was set, looks at the database at once and takes over its time', async () => {
  const { times, db, clock } = setUp();
  let looks = 0;
  clock.whenApart(() => {
    looks += 1;
  });
  await clock.follow(db);
  // While the machine sleeps, the monotonic clock stands still.
  times.machine += 7 * day;
  times.database += 7 * day;
  clock.now();
  clock.now();
  expect(looks).toBe(1);
  expect(await clock.follow(db)).toBe(7 * day);
  expect(clock.now()).toEqual(new Date(noon + 7 * day));
  times.machine -= 25 * 3_600_000;
  expect(clock.now()).toEqual(new Date(noon + 7 * day));
  expect(looks).toBe(2);
  expect(await clock.follow(db)).toBe(0);
});

it('goes on without the time of a database that jumps by more than a minute, until it comes back', async () => {
  const { times, db, clock, pass } = setUp();
  await clock.follow(db);
  times.database += 50 * second;
  expect(await clock.follow(db)).toBe(50 * second);
  times.database += day;
  expect(await clock.follow(db)).toBe(0);
  expect(clock.fault).toContain('moved by 86400 seconds');
  pass(second);
  expect(clock.now()).toEqual(new Date(noon + 51 * second));
  times.database -= day;
  expect(await clock.follow(db)).toBe(0);
  expect(clock.fault).toBeNull();
});

it('what an answer took to come is no difference', async () => {
  const { times, db } = setUp();
  let now = noon;
  const slow = {
    now: () => {
      now += 90 * second;
      return new Date(now);
    },
  };
  times.database += 100 * second;
  expect(await differenceFrom(db, slow)).toBe(0);
});
