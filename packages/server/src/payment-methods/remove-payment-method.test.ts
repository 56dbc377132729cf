import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AccountContext } from '../accounts/context.ts';
import { multiply, never } from '../jobs/test-kit.ts';
import { until } from '../processor-notifications/test-kit.ts';
import { tenantIn } from '../vault/test-database.ts';
import { forgetInstrument } from './payment-methods.ts';
import { recoverRemovals, removalRecovery, removePaymentMethod } from './remove-payment-method.ts';
import { createMethodsWorld } from './test-kit.ts';

const minute = 60_000;
let world: Awaited<ReturnType<typeof createMethodsWorld>>;
let shop: AccountContext;
let customer: string;

beforeAll(async () => {
  world = await createMethodsWorld();
});
beforeEach(async () => {
  shop = world.context(await world.database.openAccount());
  customer = await world.addCustomer(shop);
  world.processor.removals.length = 0;
  world.processor.remove = () => ({ kind: 'removed' });
  world.connection.isThere = true;
  world.incidents.length = 0;
});
afterAll(() => world.database.drop());

const remove = (id: string, customerId: string | null = null, where = shop) =>
  removePaymentMethod(world.deps, where, id, customerId);
const tokens = () => world.processor.removals.map((removal) => removal.token);
const unavailable = () => ({ kind: 'unknown', answer: 'provider_unavailable', reason: 'no answer' }) as const;
const notFound = expect.objectContaining({ code: 'not_found' });

/** Runs recovery once after each of these gaps, in minutes. @returns how many removals each run looked at */
async function later(...minutes: number[]): Promise<number[]> {
  const counts: number[] = [];
  for (const each of minutes) {
    world.clock.move(each * minute);
    counts.push(await recoverRemovals(world.deps));
  }
  return counts;
}

it('recovery resumes a removal in its first poll beside 1,000 of a tenant whose processor hangs', async () => {
  world.processor.remove = unavailable;
  const id = await world.save(shop, customer);
  await remove(id);
  await multiply(world.database.db, {
    table: 'payment_methods',
    accountId: shop.accountId,
    copies: 999,
    ids: ['id'],
  });
  await multiply(world.database.db, {
    table: 'operations',
    accountId: shop.accountId,
    copies: 999,
    ids: ['subject'],
  });
  world.clock.move(1000);
  const other = world.context(await world.database.openAccount());
  const late = await world.save(other, await world.addCustomer(other));
  await remove(late, null, other);
  world.clock.move(minute);
  world.processor.removals.length = 0;
  const asked = (accountId: string) =>
    world.processor.removals.filter(({ connection }) => connection.startsWith(accountId)).length;
  world.processor.remove = () =>
    world.processor.removals.at(-1)?.connection.startsWith(shop.accountId) === true
      ? never()
      : { kind: 'removed' };
  await removalRecovery(world.deps).poll();
  await until('the other account’s method was removed', async () => asked(other.accountId) === 1);
  expect(asked(shop.accountId)).toBeLessThanOrEqual(4);
  await world.database.db.query({
    text: 'delete from operations where tenant in (select tenant from tenants where account_id = $1)',
    values: [shop.accountId],
    scope: { accountId: shop.accountId },
  });
});

describe('removing a saved method', () => {
  it('deletes it here and asks the upstream once, with its token, customer, account and mode', async () => {
    const id = await world.save(shop, customer, { token: 'tok_1' });
    expect(await remove(id)).toEqual({ id, object: 'payment_method', deleted: true });
    expect(world.processor.removals).toEqual([
      {
        token: 'tok_1',
        customerId: customer,
        upstreamKey: `${id}:r`,
        connection: `${shop.accountId} test`,
      },
    ]);
    expect(await later(1, 60, 600)).toEqual([0, 0, 0]);
  });

  it('404 for the second of two removals, concurrent or not', async () => {
    const id = await world.save(shop, customer);
    const results = await Promise.allSettled([remove(id), remove(id)]);
    expect(results.map((result) => result.status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(remove(id)).rejects.toEqual(notFound);
    expect(world.processor.removals).toHaveLength(1);
  });

  it('404 for another account’s or mode’s, and nothing is removed', async () => {
    const id = await world.save(shop, customer);
    const other = world.context(await world.database.openAccount());
    await expect(remove(id, null, other)).rejects.toEqual(notFound);
    await expect(remove(id, null, { ...shop, ...tenantIn(shop.accountId, true) })).rejects.toEqual(notFound);
    expect(world.processor.removals).toEqual([]);
    expect((await world.deps.store.find(shop, id))?.removed_at).toBeNull();
  });

  it('404 for another customer’s', async () => {
    const id = await world.save(shop, customer);
    for (const wrong of [await world.addCustomer(shop), 'cus_none', '', `${customer}\0`])
      await expect(remove(id, wrong)).rejects.toEqual(notFound);
    expect(await remove(id, customer)).toMatchObject({ deleted: true });
  });
});

describe('a removal whose upstream request failed', () => {
  it('succeeds where the database fails after it, and recovery resumes it once its lease has expired', async () => {
    const id = await world.save(shop, customer);
    const gone = async () => Promise.reject(new Error('the connection is gone'));
    const operations = {
      end: gone,
      pastFence: gone,
      leaveUnknown: gone,
    } as unknown as typeof world.deps.operations;
    const answered = removePaymentMethod({ ...world.deps, operations }, shop, id, null);
    expect(await answered).toMatchObject({ id, deleted: true });
    expect(world.incidents).toHaveLength(2);
    expect(await later(3, 1)).toEqual([0, 1]);
    expect(await later(60)).toEqual([0]);
  });

  it('succeeds here, and is retried after 5 s, 40 s, 5 and 30 minutes, then hourly', async () => {
    world.processor.remove = unavailable;
    const id = await world.save(shop, customer);
    await remove(id);
    expect((await world.deps.store.find(shop, id))?.removed_at).not.toBeNull();
    expect(world.incidents).toEqual(['not removed at the processor yet: no answer']);
    const seconds = [4, 1, 39, 1, 299, 1, 1799, 1, 3599, 1, 3600];
    expect(await later(...seconds.map((each) => each / 60))).toEqual([0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 1]);
    world.processor.remove = () => ({ kind: 'removed' });
    expect(await later(60, 600)).toEqual([1, 0]);
    expect(new Set(world.processor.removals.map((removal) => removal.upstreamKey)).size).toBe(1);
  });

  it('an error of the adapter does not fail the request', async () => {
    world.processor.remove = () => Promise.reject(new Error('broken'));
    const id = await world.save(shop, customer);
    expect(await remove(id)).toMatchObject({ deleted: true });
    world.connection.isThere = false;
    expect(await later(2)).toEqual([1]);
    world.connection.isThere = true;
    world.processor.remove = () => ({ kind: 'removed' });
    expect(await later(6, 600)).toEqual([1, 0]);
    expect(world.incidents).toEqual([
      'not removed at the processor yet',
      'not removed at the processor yet: waits for the credentials of the merchant account that it was made with',
    ]);
  });

  it('is not asked of another merchant account', async () => {
    const id = await world.save(shop, customer);
    world.connection.identity = 'test:Other';
    await remove(id);
    expect(await later(2)).toEqual([1]);
    expect(world.processor.removals).toEqual([]);
    world.connection.identity = 'test:Shop';
    expect(await later(6, 600)).toEqual([1, 0]);
    expect(world.processor.removals).toHaveLength(1);
  });

  it('is taken by one of several processes', async () => {
    world.processor.remove = unavailable;
    for (let n = 0; n < 20; n += 1) await remove(await world.save(shop, customer));
    world.processor.removals.length = 0;
    world.clock.move(2 * minute);
    const counts = await Promise.all([1, 2, 3, 4].map(() => recoverRemovals(world.deps)));
    expect(counts.reduce((sum, count) => sum + count)).toBe(20);
    expect(new Set(tokens()).size).toBe(20);
    world.processor.remove = () => ({ kind: 'removed' });
    expect(await later(6)).toEqual([20]);
  });

  it('ends where the upstream reports that it has deleted the method', async () => {
    world.processor.remove = unavailable;
    await remove(await world.save(shop, customer, { token: 'tok_gone' }));
    await forgetInstrument(world.deps, shop, { token: 'tok_gone', sender: null, at: shop.now });
    expect(await later(2, 600)).toEqual([0, 0]);
  });
});

describe('a token of two methods', () => {
  it('is deleted upstream with the last of them', async () => {
    const first = await world.save(shop, customer, { token: 'tok_two' });
    const second = await world.save(shop, await world.addCustomer(shop), { token: 'tok_two' });
    await remove(first);
    expect(tokens()).toEqual([]);
    expect(await later(2)).toEqual([0]);
    await remove(second);
    expect(tokens()).toEqual(['tok_two']);
  });

  it('is asked about at least once where both are removed concurrently', async () => {
    for (let round = 0; round < 10; round += 1) {
      const token = `tok_race_${round}`;
      const first = await world.save(shop, customer, { token });
      const second = await world.save(shop, await world.addCustomer(shop), { token });
      await Promise.all([remove(first), remove(second)]);
      expect(tokens()).toContain(token);
    }
  });

  it('is not deleted by a late retry once the customer has saved it again', async () => {
    world.processor.remove = unavailable;
    await remove(await world.save(shop, customer, { token: 'tok_again' }));
    world.processor.removals.length = 0;
    world.processor.remove = () => ({ kind: 'removed' });
    const again = await world.save(shop, customer, { token: 'tok_again' });
    expect(await later(2, 600)).toEqual([1, 0]);
    expect(tokens()).toEqual([]);
    await remove(again);
    expect(tokens()).toEqual(['tok_again']);
  });

  it('is another token in the other mode', async () => {
    const live = { ...shop, ...tenantIn(shop.accountId, true) };
    await world.save(live, await world.addCustomer(live), { token: 'tok_mode' });
    await remove(await world.save(shop, customer, { token: 'tok_mode' }));
    expect(tokens()).toEqual(['tok_mode']);
  });
});
