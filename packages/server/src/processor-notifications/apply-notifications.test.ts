import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../store/database.ts';
import { tenantIn } from '../vault/test-database.ts';
import {
  type Apply,
  about,
  changed,
  createApplier,
  createTestDatabase,
  type FakeNotification,
  idsOf,
  leaseMs,
  namesOf,
  openAccount,
  receive,
  start,
  stored,
} from './test-kit.ts';

const seconds = 1000;
const hour = 3600 * seconds;

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

describe('a due notification', () => {
  it('is applied once, with the account’s present settings, and marked applied', async () => {
    const account = await openAccount(db, 'processor_b', 90 * seconds);
    await receive(db, account, [about('pay_1')], { processor: 'processor_b' });
    const { run, seen, moveTo, logged } = createApplier(db);
    moveTo(10 * seconds);
    expect(await run()).toBe(1);
    expect(seen).toHaveLength(1);
    expect(seen[0]?.effect).toEqual(changed('pay_1'));
    expect(seen[0]?.context).toMatchObject({
      accountId: account,
      livemode: false,
      processor: 'processor_b',
      accountName: 'Test shop',
      timeZone: 'UTC',
      now: new Date(start.getTime() + 100 * seconds),
    });
    const at = new Date(start.getTime() + 10 * seconds);
    expect(await stored(db, account)).toMatchObject([{ state: 'applied', tries: 1, applied_at: at }]);
    moveTo(50 * hour);
    expect(await run()).toBe(0);
    expect(seen).toHaveLength(1);
    expect(logged).toEqual([]);
  });

  it('a live one is applied in live mode and real time', async () => {
    const account = await openAccount(db, 'processor_a', 90 * seconds);
    await receive(db, account, [about('pay_1')], { livemode: true });
    const { run, seen } = createApplier(db);
    await run();
    expect(seen[0]?.context).toMatchObject({ accountId: account, livemode: true, now: start });
  });

  it('is applied in the order of receipt with the others about its payment, all of its effects in order', async () => {
    const cancelled = (kind: 'payment_cancelled' | 'payment_not_cancelled') => ({ kind, paymentId: 'pay_1' });
    await receive(db, shop, [{ id: 'second', effects: [cancelled('payment_cancelled')] }], { at: 20 });
    const effects = [changed('pay_1'), cancelled('payment_not_cancelled')];
    await receive(db, shop, [{ id: 'first', effects }], { at: 10 });
    await receive(db, shop, [about('pay_2')], { at: 30 });
    const { run, seen, moveTo } = createApplier(db);
    moveTo(40);
    expect(await run()).toBe(3);
    const kinds = seen.flatMap(({ effect }) =>
      'paymentId' in effect && effect.paymentId === 'pay_1' ? [effect.kind] : [],
    );
    expect(kinds).toEqual(['payment_changed', 'payment_not_cancelled', 'payment_cancelled']);
    expect(idsOf(seen)).toContain('pay_2');
  });

  it('about a refund is applied beside those about others, and in the order of receipt with its own', async () => {
    const settled = (refundId: string, amount: number) =>
      ({
        kind: 'refund_settled',
        refundId,
        upstreamId: refundId,
        paymentId: null,
        payment: {},
        amount,
        currency: 'EUR',
        outcome: 'succeeded',
      }) as const;
    await receive(db, shop, [{ id: 'a', effects: [settled('re_1', 1)] }], { at: 10 });
    await receive(db, shop, [{ id: 'b', effects: [settled('re_1', 2)] }], { at: 20 });
    await receive(db, shop, [{ id: 'c', effects: [settled('re_2', 3)] }], { at: 30 });
    const ended: number[] = [];
    let onOther = () => {};
    const other = new Promise<void>((resolve) => {
      onOther = resolve;
    });
    const { run, moveTo } = createApplier(db, async (_context, effect) => {
      const { amount } = effect as ReturnType<typeof settled>;
      if (amount === 1) await other;
      if (amount === 3) onOther();
      ended.push(amount);
      return 'applied';
    });
    moveTo(40);
    expect(await run()).toBe(3);
    expect(ended).toEqual([3, 1, 2]);
  });

  it('one that was tried before is taken alone, so that a crash takes no others with it', async () => {
    await receive(db, shop, [about('pay_1'), about('pay_2')]);
    const { deps, moveTo } = createApplier(db);
    const tenant = tenantIn(shop);
    const options = () => ({ now: deps.clock.now(), lease: deps.lease(), maxTries: 20 });
    expect(await deps.store.takeNew(tenant, options(), 50)).toHaveLength(2);
    moveTo(leaseMs);
    expect(await deps.store.takeNew(tenant, options(), 50)).toEqual([]);
    expect(await deps.store.takeTriedOne(tenant, options())).toMatchObject({ tries: 2 });
  });

  it('one without effects is applied at once', async () => {
    await receive(db, shop, [{ id: 'report', type: 'REPORT_AVAILABLE' }]);
    const { run, seen } = createApplier(db);
    expect(await run()).toBe(1);
    expect(seen).toEqual([]);
    expect(await stored(db, shop)).toMatchObject([{ state: 'applied' }]);
  });
});

/** The ways in which a try can fail. */
const failures: readonly [what: string, apply: Apply, notification: FakeNotification][] = [
  ['cannot be applied yet', async () => 'later', about('pay_1')],
  ['meets a fault', () => Promise.reject(new RangeError('a fault of ours')), about('pay_1')],
  ['is not understood by its processor now', async () => 'applied', { ...about('pay_1'), unclear: true }],
];

describe.each(failures)('a notification that %s', (_what, apply, notification) => {
  it('is retried soon, then after 1 min, 5 min, 30 min and every hour, and parked after 20 tries', async () => {
    await receive(db, shop, [notification]);
    const { run, moveTo } = createApplier(db, apply);
    let at = 0;
    for (const wait of [0, 1, 2, 5, 10, 20, 60, 300, 1800, ...Array<number>(11).fill(3600)]) {
      const gap = wait * seconds;
      if (gap > 0) {
        moveTo(at + gap - 1);
        const [before] = await stored(db, shop);
        await run();
        expect(await stored(db, shop)).toEqual([before]);
      }
      at += gap;
      moveTo(at);
      expect(await run()).toBe(0);
    }
    expect(await stored(db, shop)).toMatchObject([{ state: 'parked', tries: 20, applied_at: null }]);
    moveTo(at + 1000 * hour);
    expect(await run()).toBe(0);
    expect(await stored(db, shop)).toMatchObject([{ state: 'parked', tries: 20 }]);
  });

  it('delays none of those behind it', async () => {
    await receive(db, shop, [notification]);
    await receive(db, shop, [{ id: 'other' }], { at: 1 });
    const { run, moveTo } = createApplier(db, apply);
    moveTo(1);
    expect(await run()).toBe(1);
    const [waiting, other] = await namesOf(db, shop, ['pay_1', 'other']);
    expect(await stored(db, shop)).toMatchObject([
      { id: waiting, state: 'received', tries: 1 },
      { id: other, state: 'applied' },
    ]);
  });
});

describe('a parked notification', () => {
  it('is logged, kept, and applied once an operator retries it', async () => {
    await receive(db, shop, [about('pay_1')]);
    let broken = true;
    const { run, moveTo, logged, deps } = createApplier(db, async () => (broken ? 'later' : 'applied'));
    const [id = ''] = await namesOf(db, shop, ['pay_1']);
    for (let at = 0; at <= 30; at += 1) {
      moveTo(at * hour);
      await run();
    }
    expect(logged.filter(({ message }) => message === 'notification parked')).toEqual([
      {
        message: 'notification parked',
        about: { accountId: shop, livemode: false, processor: 'processor_a', detail: `TEST ${id}` },
      },
    ]);
    broken = false;
    const now = deps.clock.now();
    expect(await deps.store.retry(tenantIn(shop, true), id, now)).toBeUndefined();
    const retried = await deps.store.retry(tenantIn(shop), id, now);
    expect(retried).toMatchObject({ state: 'received', tries: 0, next_try_at: now });
    expect(await run()).toBe(1);
    expect(await deps.store.retry(tenantIn(shop), id, now)).toBeUndefined();
    expect(await stored(db, shop)).toMatchObject([{ state: 'applied', tries: 1 }]);
  });

  it('is parked after 20 tries also where each one ended the process', async () => {
    await receive(db, shop, [{ id: 'poison' }]);
    await receive(db, shop, [{ id: 'good' }], { at: 1 });
    const { deps, moveTo, run } = createApplier(db);
    const tenant = tenantIn(shop);
    const [poison, good] = await namesOf(db, shop, ['poison', 'good']);
    let at = 0;
    for (let tries = 1; tries <= 20; tries += 1, at += leaseMs) {
      moveTo(at);
      const options = { now: deps.clock.now(), lease: deps.lease(), maxTries: 20 };
      // The notification is taken, then the process ends.
      const taken =
        tries === 1
          ? (await deps.store.takeNew(tenant, options, 1))[0]
          : await deps.store.takeTriedOne(tenant, options);
      expect(taken).toMatchObject({ id: poison, tries });
      if (tries === 1) {
        moveTo(1);
        expect(await run()).toBe(1);
      }
    }
    moveTo(at);
    expect(await run()).toBe(0);
    expect(await stored(db, shop)).toMatchObject([
      { id: poison, state: 'parked', tries: 20 },
      { id: good, state: 'applied' },
    ]);
  });
});
