import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '../../store/database.ts';
import { listDeliveries } from '../delivery/reads.ts';
import { createEndpoint, deleteEndpoint } from '../endpoints/endpoints.ts';
import { createTestDatabase, openAccount, TestClock, testDeps, until, writeEvents } from '../test-kit.ts';
import { replayEvents } from './replay.ts';

const clock = new TestClock();
let db: Database;
let drop: () => Promise<void>;
beforeAll(async () => {
  ({ db, drop } = await createTestDatabase());
});
afterAll(() => drop());

/** Opens an account whose events are older than its endpoint. */
async function openShop(events: number) {
  const deps = testDeps(db, clock);
  const accountId = await openAccount(db);
  const since = clock.now();
  await writeEvents(db, clock, accountId, { count: events });
  const { endpoint } = await createEndpoint(deps, accountId, {
    url: 'https://shop.example/hooks',
    additionalEvents: false,
  });
  const replay = (through = db) =>
    replayEvents({ ...deps, db: through }, accountId, endpoint.id, { since, perSecond: 1 });
  const states = async () => {
    const rows = await listDeliveries(db, accountId, endpoint.id, { limit: 100 });
    return rows.map(({ state }) => state);
  };
  return { deps, accountId, endpoint, replay, states };
}

/** A database that calls `happens` right before the statement of this name. */
const before = (name: string, happens: () => Promise<void>): Database => ({
  ...db,
  inUse: () => db.inUse(),
  session: () => db.session(),
  transaction: (work) => db.transaction(work),
  close: () => db.close(),
  async query(statement) {
    if (statement.name === name) await happens();
    return db.query(statement);
  },
});

it('an endpoint that is deleted while a replay to it begins gets nothing, and nothing waits for it', async () => {
  const { deps, accountId, endpoint, replay, states } = await openShop(2);
  const deleting = before('replay_events', () => deleteEndpoint(deps, accountId, endpoint.id));
  expect(await replay(deleting)).toEqual({ sent: 0, left: 0 });
  expect(await states()).toEqual([]);
});

it('an endpoint that is deleted while a replay is written ends what the replay wrote', async () => {
  const { deps, accountId, endpoint, replay, states } = await openShop(2);
  let deleted: Promise<void> | undefined;
  let isOver = false;
  const waits = async () => {
    const rows = await db.query({
      text: `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      scope: 'everybody',
    });
    return rows.length > 0;
  };
  await db.transaction(async (tx) => {
    await replay({ ...before('', async () => {}), query: (statement) => tx.query(statement) });
    deleted = deleteEndpoint(deps, accountId, endpoint.id).finally(() => {
      isOver = true;
    });
    await until('the deletion waits for what is written', async () => isOver || (await waits()));
  });
  await deleted;
  expect(await states()).toEqual(['failed', 'failed']);
});

it('of two replays at once the second one is refused until the last delivery of the first was due', async () => {
  const { replay, states } = await openShop(3);
  const both = await Promise.allSettled([replay(), replay()]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(both.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { code: 'replay_under_way' },
  });
  expect(await states()).toHaveLength(3);
  clock.move(1999);
  await expect(replay()).rejects.toMatchObject({ code: 'replay_under_way' });
  clock.move(1);
  expect(await replay()).toMatchObject({ left: 0 });
});

it('a replay that failed does not stand in the way of the next one', async () => {
  const { replay } = await openShop(1);
  const failing = before('replay_events', () => Promise.reject(new Error('the database is away')));
  await expect(replay(failing)).rejects.toThrow('the database is away');
  expect(await replay()).toEqual({ sent: 1, left: 0 });
});

it('a replay that writes for so long that another one begins does not end the reservation of that one', async () => {
  const { replay } = await openShop(3);
  let other: Promise<unknown> | undefined;
  const slow = before('replay_events', async () => {
    clock.move(600_000);
    other = replay();
    await other;
  });
  await replay(slow);
  await expect(other).resolves.toMatchObject({ left: 0 });
  clock.move(1999);
  await expect(replay()).rejects.toMatchObject({ code: 'replay_under_way' });
  clock.move(1);
  expect(await replay()).toMatchObject({ left: 0 });
});

it('what a replay leaves is counted in both modes, and none takes the place of the other', async () => {
  const { deps, accountId, endpoint } = await openShop(3);
  await writeEvents(db, clock, accountId, { count: 4, livemode: true });
  const replay = { since: new Date(0), perSecond: 1 };
  expect(await replayEvents(deps, accountId, endpoint.id, replay, 2)).toEqual({ sent: 2, left: 3 });
});
