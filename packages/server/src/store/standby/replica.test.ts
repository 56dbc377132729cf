import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../lib/clock.ts';
import { type Database, openDatabase } from '../database.ts';
import { ask, type ServerPair, startPair } from '../reach/test-servers.ts';
import { lagOf } from './lag.ts';
import { Replica } from './replica.ts';

const maxLagMs = 1_500;

let pair: ServerPair;
let primary: Database;
let standby: Database;
let replica: Replica;
let reads: Database;
const changes: (string | undefined)[] = [];

beforeAll(async () => {
  pair = await startPair();
  const open = (port: number) =>
    openDatabase({
      url: `postgres://till@127.0.0.1:${port}/till`,
      connections: 2,
      applicationName: 'till test',
      statementMs: 10_000,
      acquireMs: 10_000,
      onError: () => {},
    });
  primary = open(pair.leader.port);
  standby = open(pair.standby.port);
  await primary.query({ text: 'create table kept (n int)', scope: 'anybody' });
  replica = new Replica({
    primary,
    standbys: [{ name: 'standby', probe: standby, reads: standby }],
    maxLagMs,
    onChange: (name) => void changes.push(name),
  });
  reads = replica.over(primary);
}, 60_000);
afterAll(async () => {
  replica.stop();
  await Promise.all([primary.close(), standby.close()]);
  await pair.remove();
});

const isRead = (expected: boolean) => expect.poll(() => replica.lagMs() !== undefined).toBe(expected);
beforeEach(() => isRead(true), 20_000);

const insert = (n: number) => primary.query({ text: `insert into kept values (${n})`, scope: 'anybody' });
const kept = () => reads.query<{ n: number }>({ text: 'select n from kept order by n', scope: 'anybody' });
const portOf = async (db: Database) => {
  const [row] = await db.query<{ port: number }>({
    text: 'select inet_server_port() as port',
    scope: 'anybody',
  });
  return row?.port;
};

// On a busy machine the standby may lag again between two checks.
const isReadFromStandby = () => expect.poll(() => portOf(reads)).toBe(pair.standby.port);

it('reads from a standby in step, which has what was acknowledged that long ago', async () => {
  await isReadFromStandby();
  await insert(1);
  await delay(1_200);
  await expect.poll(() => replica.lagMs()).toBeLessThan(1_100);
  expect(await kept()).toEqual([{ n: 1 }]);
  // On a busy machine the standby may have lagged in between.
  expect([changes[0], changes.at(-1)]).toEqual(['standby', 'standby']);
});

it('reads from the primary while the standby lags more than it may, and from the standby again', async () => {
  await ask(pair.standby.port, 'select pg_wal_replay_pause()');
  await insert(2);
  const began = performance.now();
  while (replica.lagMs() !== undefined) {
    expect(replica.lagMs() ?? 0).toBeLessThanOrEqual(maxLagMs);
    await delay(20);
  }
  expect(performance.now() - began).toBeLessThan(maxLagMs + 10_000);
  expect(await kept()).toEqual([{ n: 1 }, { n: 2 }]);
  await expect.poll(() => changes.at(-1)).toBeUndefined();
  await ask(pair.standby.port, 'select pg_wal_replay_resume()');
  await isRead(true);
  await isReadFromStandby();
  expect(await kept()).toEqual([{ n: 1 }, { n: 2 }]);
  // On a busy machine the standby may have lagged once before.
  expect(changes.slice(-2)).toEqual([undefined, 'standby']);
});

it('says once whether a standby is near, behind, or no standby at all', async () => {
  const lag = (db: Database, maxMs = 20_000) => lagOf(primary, db, systemClock, maxMs);
  expect(await lag(standby)).toMatchObject({ kind: 'near' });
  await ask(pair.standby.port, 'select pg_wal_replay_pause()');
  await insert(9);
  expect(await lag(standby, 300)).toEqual({ kind: 'behind' });
  await ask(pair.standby.port, 'select pg_wal_replay_resume()');
  await primary.query({ text: 'delete from kept where n = 9', scope: 'anybody' });
  expect(await lag(standby)).toMatchObject({ kind: 'near' });
  expect(await lag(primary)).toEqual({ kind: 'leads' });
});

it('writes at the primary, also where a list turns out to write', async () => {
  await reads.query({ text: 'insert into kept values (3)', scope: 'anybody' });
  await reads.transaction((tx) => tx.query({ text: 'insert into kept values (4)', scope: 'anybody' }));
  const rows = await primary.query<{ n: number }>({
    text: 'select n from kept where n > 2',
    scope: 'anybody',
  });
  expect(rows.map(({ n }) => n).toSorted()).toEqual([3, 4]);
});

it('passes on what is wrong with a statement', async () => {
  await expect(reads.query({ text: 'select nothing', scope: 'anybody' })).rejects.toThrow(/"nothing"/);
});

it('a standby that hangs keeps nobody waiting for long, and one that is away nobody at all', async () => {
  pair.standby.hold('SIGSTOP');
  await delay(2_600);
  expect(replica.lagMs()).toBeUndefined();
  expect(await portOf(reads)).toBe(pair.leader.port);
  pair.standby.hold('SIGCONT');
  await isRead(true);
  await pair.standby.stop('SIGQUIT');
  expect(await portOf(reads)).toBe(pair.leader.port);
  expect(replica.lagMs()).toBeUndefined();
  await pair.standby.start();
});

it('does not take a former standby for one', async () => {
  await pair.standby.promote();
  await isRead(false);
  await insert(5);
  expect((await kept()).map(({ n }) => n)).toContain(5);
});
