import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../store/database.ts';
import { instanceLockClass } from '../store/instance.ts';
import { tenantIn } from '../vault/test-database.ts';
import {
  about,
  createApplier,
  createTestDatabase,
  idsOf,
  leaseMs,
  namesOf,
  openAccount,
  receive,
  start,
  stored,
  until,
} from './test-kit.ts';

const day = 24 * 3_600_000;

let db: Database;
let drop: () => Promise<void>;
let shop: string;

beforeAll(async () => {
  ({ db, drop } = await createTestDatabase());
});
afterAll(() => drop());
beforeEach(async () => {
  await db.query({ text: 'truncate processor_notifications', scope: 'everybody' });
  shop = await openAccount(db, 'processor_a');
});

describe('two processes', () => {
  it('never apply one concurrently: the second may after the lease, and the try was counted before', async () => {
    await receive(db, shop, [about('pay_1')]);
    let reached = () => {};
    const applying = new Promise<void>((resolve) => {
      reached = resolve;
    });
    let goOn = (_result: 'applied') => {};
    const slow = createApplier(db, () => {
      reached();
      return new Promise((resolve) => {
        goOn = resolve;
      });
    });
    const running = slow.run();
    await applying;
    expect(await stored(db, shop)).toMatchObject([{ state: 'received', tries: 1 }]);
    const other = createApplier(db);
    other.moveTo(leaseMs - 1);
    expect(await other.run()).toBe(0);
    other.moveTo(leaseMs);
    expect(await other.run()).toBe(1);
    goOn('applied');
    expect(await running).toBe(1);
    expect(await stored(db, shop)).toMatchObject([{ state: 'applied', tries: 2 }]);
  });

  it('take over at once, without waiting for the lease, where the other has ended', async () => {
    await receive(db, shop, [about('pay_1')]);
    const number = 4_711;
    const alive = await db.session();
    await alive.query({
      text: 'select pg_advisory_lock($1::int, $2::int)',
      values: [instanceLockClass, number],
    });
    let reached = () => {};
    const applying = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const crashing = createApplier(
      db,
      () => {
        reached();
        return new Promise(() => {});
      },
      number,
    );
    void crashing.run();
    await applying;
    const other = createApplier(db);
    expect(await other.run()).toBe(0);
    alive.release();
    const applied = await until('the lock of the process is gone', async () => (await other.run()) === 1);
    expect(applied).toBe(true);
    expect(await stored(db, shop)).toMatchObject([{ state: 'applied', tries: 2 }]);
  });

  it('share the work: 200 notifications of 5 accounts are applied once each', async () => {
    const accounts = await Promise.all(Array.from({ length: 5 }, () => openAccount(db, 'processor_a')));
    for (const account of accounts) {
      await receive(
        db,
        account,
        Array.from({ length: 40 }, (_, index) => about(`${account}-${index}`)),
      );
    }
    const processes = [createApplier(db), createApplier(db)];
    const counts = await Promise.all(processes.map(({ run }) => run()));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(200);
    const ids = processes.flatMap(({ seen }) => idsOf(seen));
    expect(ids).toHaveLength(200);
    expect(new Set(ids).size).toBe(200);
    for (const account of accounts) {
      const states = (await stored(db, account)).map(({ state }) => state);
      expect(states).toEqual(Array(40).fill('applied'));
    }
  });

  it('an error of one does not reschedule what the other has taken since', async () => {
    await receive(db, shop, [about('pay_1')]);
    const { deps, moveTo } = createApplier(db);
    const tenant = tenantIn(shop);
    const take = (ms: number) => {
      moveTo(ms);
      const options = { now: deps.clock.now(), lease: deps.lease(), maxTries: 20 };
      return deps.store.takeTriedOne(tenant, options);
    };
    const [first] = await deps.store.takeNew(
      tenant,
      { now: deps.clock.now(), lease: deps.lease(), maxTries: 20 },
      1,
    );
    const second = await take(leaseMs);
    if (first === undefined || second === undefined) throw new Error('nothing was taken');
    await deps.store.tryAgain(first, start);
    expect(await take(leaseMs + 1)).toBeUndefined();
    await deps.store.tryAgain(second, start);
    expect(await take(leaseMs + 1)).toMatchObject({ tries: 3 });
  });
});

describe('retention of notifications', () => {
  it('applied ones are deleted after their time; the others stay', async () => {
    await receive(db, shop, [{ id: 'old' }]);
    await receive(db, shop, [about('waiting')], { at: 1 });
    const { run, moveTo, deps } = createApplier(db, async () => 'later');
    moveTo(1);
    await run();
    await receive(db, shop, [{ id: 'late' }], { at: 2 });
    moveTo(2 * day);
    await run();
    const monthAgo = (ms: number) => new Date(start.getTime() + ms - 30 * day);
    expect(await deps.store.removeApplied(monthAgo(30 * day))).toBe(0);
    expect(await deps.store.removeApplied(monthAgo(30 * day + 1))).toBe(1);
    const names = await namesOf(db, shop, ['waiting', 'late']);
    expect((await stored(db, shop)).map(({ id }) => id)).toEqual(names);
    expect(await deps.store.removeApplied(monthAgo(33 * day))).toBe(1);
    expect((await stored(db, shop)).map(({ id }) => id)).toEqual(names.slice(0, 1));
  });
});
