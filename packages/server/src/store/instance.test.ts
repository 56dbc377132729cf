import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Clock, systemClock } from '../lib/clock.ts';
import { type Database, openDatabase } from './database.ts';
import { holdInstance, ownerIsGone } from './instance.ts';
import { migrate } from './migrations/migrate.ts';
import { ask, type ServerPair, startPair } from './reach/test-servers.ts';

let pair: ServerPair;
let db: Database;

beforeAll(async () => {
  pair = await startPair();
  db = openDatabase({ url: pair.url, connections: 6, applicationName: 'till test', onError: () => {} });
  await migrate(db, new Date());
}, 60_000);

afterAll(async () => {
  await db.close();
  await pair.remove();
});

/** Returns those of the numbers whose owner counts as gone. */
async function gone(numbers: readonly number[]): Promise<number[]> {
  const rows = await db.query<{ n: number }>({
    text: `select o.n from unnest($1::int[]) o (n) where ${ownerIsGone('o.n')} order by 1`,
    values: [numbers],
    scope: 'everybody',
  });
  return rows.map(({ n }) => n);
}

/** Waits until the standby has everything that was committed, because replication is asynchronous. */
async function untilReplicated(): Promise<void> {
  const [now] = await ask<{ lsn: string }>(pair.leader.port, 'select pg_current_wal_flush_lsn() as lsn');
  const isThere = `select pg_last_wal_replay_lsn() >= '${now?.lsn}'::pg_lsn as there`;
  await expect.poll(() => ask(pair.standby.port, isThere)).toEqual([{ there: true }]);
}

const hold = async (number: number, clock: Clock = systemClock, onLost = () => {}) => {
  const held = await holdInstance(db, { number, exclusive: false, clock, onLost });
  await held.mark();
  return held;
};

it('after a crash of one backend no living process counts as gone', async () => {
  const [living, dead] = [11, 12];
  let isBack = () => {};
  const back = new Promise<void>((resolve) => {
    isBack = resolve;
  });
  const slowly: Clock = { ...systemClock, delay: () => back };
  const lost: unknown[] = [];
  const held = await hold(living, slowly, () => lost.push(1));
  (await hold(dead)).release();
  await expect.poll(() => gone([living, dead])).toEqual([dead]);
  const [victim] = await ask<{ pid: number }>(
    pair.leader.port,
    `select pid from pg_stat_activity where application_name = 'till test' limit 1`,
  );
  // As the kernel does when memory is short: the server ends all sessions and recovers, but keeps its old start time.
  process.kill(Number(victim?.pid), 'SIGKILL');
  await expect.poll(() => lost.length, { timeout: 30_000 }).toBeGreaterThan(0);
  await expect.poll(() => gone([living, dead]).catch(() => undefined), { timeout: 30_000 }).toEqual([]);
  isBack();
  await expect.poll(() => gone([living, dead])).toEqual([dead]);
  held.release();
}, 60_000);

it('after a failover no living process counts as gone before it had the time to come back', async () => {
  const [quick, slow, dead, unmarked] = [1, 2, 3, 4];
  const all = [quick, slow, dead, unmarked];
  let isBack = () => {};
  const back = new Promise<void>((resolve) => {
    isBack = resolve;
  });
  // The first attempt finds no leader, and the next one is delayed for long.
  const slowly: Clock = { ...systemClock, delay: () => back };
  const waits: (() => void)[] = [];
  const quickly: Clock = {
    ...systemClock,
    delay: (ms) => (ms < 10_000 ? systemClock.delay(ms) : new Promise((resolve) => waits.push(resolve))),
  };
  const missed = new Set<number>();
  const held = [
    await hold(quick, quickly, () => missed.add(quick)),
    await hold(slow, slowly, () => missed.add(slow)),
  ] as const;
  (await hold(dead)).release();
  await expect.poll(() => gone(all)).toEqual([dead, unmarked]);
  const doomed = await hold(dead);

  await untilReplicated();
  await pair.leader.stop('SIGQUIT');
  // This process dies at the same moment.
  doomed.release();
  await expect.poll(() => missed, { timeout: 30_000 }).toEqual(new Set([quick, slow]));
  await pair.standby.promote();
  await expect
    .poll(() => db.query({ text: `select from pg_locks where locktype = 'advisory'`, scope: 'anybody' }), {
      timeout: 10_000,
    })
    .toHaveLength(1);
  expect(await gone(all)).toEqual([unmarked]);

  // A process that does not come back counts as gone long after the others are back.
  await expect.poll(() => waits.length).toBe(2);
  waits.at(-1)?.();
  await expect.poll(() => gone(all)).toEqual([slow, dead, unmarked]);
  isBack();
  await expect.poll(() => gone(all)).toEqual([dead, unmarked]);
  // On the new server a released lock again means at once that its process is gone.
  held[0].release();
  await expect.poll(() => gone(all)).toEqual([quick, dead, unmarked]);
  held[1].release();
}, 60_000);
