import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AccountContext } from '../accounts/context.ts';
import { brokenConstraint } from '../store/database.ts';
import { tenantIn } from '../vault/test-database.ts';
import {
  forgetInstrument,
  listPaymentMethods,
  type MethodToSave,
  openToken,
  prepareMethod,
  retrievePaymentMethod,
} from './payment-methods.ts';
import { presentPaymentMethod } from './present.ts';
import { removePaymentMethod } from './remove-payment-method.ts';
import { oneMethodPerToken } from './store.ts';
import { createMethodsWorld, savedCard } from './test-kit.ts';

let world: Awaited<ReturnType<typeof createMethodsWorld>>;
let shop: AccountContext;
let customer: string;

beforeAll(async () => {
  world = await createMethodsWorld();
});
beforeEach(async () => {
  shop = world.context(await world.database.openAccount());
  customer = await world.addCustomer(shop);
});
afterAll(() => world.database.drop());

const retrieve = (id: string, where = shop) => retrievePaymentMethod(world.deps, where, id);
const shown = async (id: string, now = shop.now) =>
  presentPaymentMethod(await retrieve(id), { livemode: false, now });
const list = (query = {}, customerId = customer, where = shop) =>
  listPaymentMethods(world.deps, where, customerId, query);
const newest = () => world.deps.store.newestCard(shop, customer, 'test:Shop', shop.now);
const notFound = expect.objectContaining({ code: 'not_found' });

describe('a saved method', () => {
  it('shows everything that may be stored of a card, and not its token', async () => {
    const id = await world.save(shop, customer, { model: 'subscription', token: 'tok_secret' });
    expect(await shown(id)).toEqual({
      id,
      object: 'payment_method',
      type: 'card',
      customer,
      brand: 'visa',
      last4: '1111',
      bin: '411111',
      exp_month: 12,
      exp_year: 2030,
      recurring_processing_model: 'subscription',
      provider: 'processor_b',
      status: 'active',
      livemode: false,
      created: Math.floor(world.clock.now().getTime() / 1000),
    });
  });

  it('its token is sealed for its own row only', async () => {
    const id = await world.save(shop, customer, { token: 'tok_secret' });
    const row = await retrieve(id);
    expect(row.token.includes('tok_secret')).toBe(false);
    expect(await openToken(world.deps, shop, row)).toBe('tok_secret');
    await expect(openToken(world.deps, { ...shop, ...tenantIn(shop.accountId, true) }, row)).rejects.toThrow(
      'does not belong',
    );
    const other = await retrieve(await world.save(shop, customer, { token: 'tok_other' }));
    await expect(openToken(world.deps, shop, { ...row, token: other.token })).rejects.toThrow(
      'does not belong',
    );
  });

  it('a wallet has null for every card field and does not expire', async () => {
    const noCard = { brand: null, bin: null, last4: null, expMonth: null, expYear: null };
    const id = await world.save(shop, customer, { type: 'processor_b', ...noCard });
    expect(await shown(id, new Date('2099-01-01'))).toMatchObject({
      type: 'processor_b',
      brand: null,
      last4: null,
      bin: null,
      exp_month: null,
      exp_year: null,
      status: 'active',
    });
  });

  it('is expired once its month is over', async () => {
    const id = await world.save(shop, customer, { expMonth: 2, expYear: 2027 });
    expect((await shown(id, new Date('2027-02-28T23:59:59Z'))).status).toBe('active');
    expect((await shown(id, new Date('2027-03-01T00:00:00Z'))).status).toBe('expired');
  });

  it('not found under another account, in the other mode, or by a malformed id', async () => {
    const id = await world.save(shop, customer);
    const other = world.context(await world.database.openAccount());
    await expect(retrieve(id, other)).rejects.toEqual(notFound);
    await expect(retrieve(id, { ...shop, ...tenantIn(shop.accountId, true) })).rejects.toEqual(notFound);
    for (const text of ['', 'pm_', `${id}x`, `${id}\0`, customer])
      await expect(retrieve(text)).rejects.toEqual(notFound);
  });
});

describe('the list of a customer’s methods', () => {
  it('pages newest first, with the total', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.unshift(await world.save(shop, customer));
    const pages = await Promise.all([1, 2, 3, 4].map((page) => list({ page, per_page: 2 })));
    expect(pages.flatMap(({ data }) => data.map(({ id }) => id))).toEqual(ids);
    expect(pages.map((page) => page.has_more)).toEqual([true, true, false, false]);
    expect(pages.map((page) => page.total_count)).toEqual([5, 5, 5, 5]);
    expect((await list()).data).toHaveLength(5);
  });

  it('leaves out removed methods and other customers’', async () => {
    const [first, second] = [await world.save(shop, customer), await world.save(shop, customer)];
    await world.save(shop, await world.addCustomer(shop));
    await removePaymentMethod(world.deps, shop, first, null);
    expect(await list()).toMatchObject({ data: [{ id: second }], has_more: false, total_count: 1 });
  });

  it('404 for an unknown customer', async () => {
    const other = world.context(await world.database.openAccount());
    await expect(list({}, customer, other)).rejects.toEqual(notFound);
    await expect(list({}, customer, { ...shop, ...tenantIn(shop.accountId, true) })).rejects.toEqual(
      notFound,
    );
    await expect(list({}, 'cus_none')).rejects.toEqual(notFound);
  });
});

describe('the newest chargeable card', () => {
  it('is the last saved card that can be charged', async () => {
    expect(await newest()).toBeUndefined();
    const first = await world.save(shop, customer);
    const expired = { expMonth: shop.now.getUTCMonth(), expYear: shop.now.getUTCFullYear() };
    await world.save(shop, customer, expired);
    await world.save(shop, customer, { type: 'processor_b', brand: null });
    expect((await newest())?.id).toBe(first);
    const second = await world.save(shop, customer, {
      expMonth: shop.now.getUTCMonth() + 1,
      expYear: shop.now.getUTCFullYear(),
    });
    expect((await newest())?.id).toBe(second);
    await world.deps.store.markGone(shop, second, shop.now);
    expect((await newest())?.id).toBe(first);
    await removePaymentMethod(world.deps, shop, first, null);
    expect(await newest()).toBeUndefined();
  });

  it('is never another customer’s, account’s or mode’s', async () => {
    await world.save(shop, await world.addCustomer(shop));
    const live = { ...shop, ...tenantIn(shop.accountId, true) };
    await world.save(live, await world.addCustomer(live));
    expect(await newest()).toBeUndefined();
  });
});

describe('saving a method', () => {
  it('the same token of a customer is the same method', async () => {
    const id = await world.save(shop, customer, { token: 'tok_same' });
    expect(await world.save(shop, customer, { token: 'tok_same' })).toBe(id);
    expect((await list()).total_count).toBe(1);
  });

  it('the same token reactivates a revoked method and takes over a new expiry', async () => {
    const id = await world.save(shop, customer, { token: 'tok_renewed', expMonth: 1, expYear: 2026 });
    await world.deps.store.markGone(shop, id, shop.now);
    expect(await shown(id)).toMatchObject({ status: 'expired' });
    await world.save(shop, customer, { token: 'tok_renewed', expMonth: 1, expYear: 2031 });
    expect(await shown(id)).toMatchObject({ status: 'active', exp_month: 1, exp_year: 2031 });
  });

  it('the same token under another model takes over that model', async () => {
    const id = await world.save(shop, customer, { token: 'tok_model' });
    expect(await world.save(shop, customer, { token: 'tok_model', model: 'subscription' })).toBe(id);
    expect(await shown(id)).toMatchObject({ recurring_processing_model: 'subscription' });
  });

  it('the same token keeps the model of the latest save where an earlier save arrives later', async () => {
    const save = (savedBy: string, model: MethodToSave['model']) =>
      world.save(shop, customer, { token: 'tok_order', savedBy, model });
    const id = await save('pay_1', 'card_on_file');
    await save('pay_3', 'card_on_file');
    await save('pay_2', 'subscription');
    expect(await shown(id)).toMatchObject({ recurring_processing_model: 'card_on_file' });
    await save('pay_4', 'unscheduled_card_on_file');
    expect(await shown(id)).toMatchObject({ recurring_processing_model: 'unscheduled_card_on_file' });
  });

  it('a token of another customer, account or mode is a method of its own', async () => {
    const id = await world.save(shop, customer, { token: 'tok_shared' });
    const second = await world.save(shop, await world.addCustomer(shop), { token: 'tok_shared' });
    const live = { ...shop, ...tenantIn(shop.accountId, true) };
    const third = await world.save(live, await world.addCustomer(live), { token: 'tok_shared' });
    expect(new Set([id, second, third]).size).toBe(3);
  });

  it('a token saved again after a removal is a new method', async () => {
    const id = await world.save(shop, customer, { token: 'tok_back' });
    await removePaymentMethod(world.deps, shop, id, null);
    const again = await world.save(shop, customer, { token: 'tok_back' });
    expect(again).not.toBe(id);
    expect((await list()).data.map((method) => method.id)).toEqual([again]);
  });

  it('one token in two concurrent commits violates the named constraint, and resolves to the first', async () => {
    const options = savedCard(customer, shop.now, { token: 'tok_raced' });
    const [one, two] = await Promise.all([1, 2].map(() => prepareMethod(world.deps, shop, options)));
    await world.commit(shop, one?.row ?? null);
    const error = await world.commit(shop, two?.row ?? null).catch((caught: unknown) => caught);
    expect(brokenConstraint(error)).toBe(oneMethodPerToken);
    expect(await prepareMethod(world.deps, shop, options)).toEqual({ id: one?.id, row: null });
  });

  it('an empty batch inserts nothing', async () => {
    await world.commit(shop, null);
    expect((await list()).total_count).toBe(0);
  });

  it('stores the upstream’s id of the customer', async () => {
    const upstream = (upstreamCustomer: string | null, token: string) => ({
      saved: { token, upstreamCustomer },
    });
    expect(await world.deps.store.upstreamCustomerOf(shop, customer, 'test:Shop')).toBeNull();
    await world.save(shop, customer, upstream('up_1', 'a'));
    await world.save(shop, customer, upstream('up_2', 'b'));
    await world.save(shop, customer, upstream(null, 'c'));
    expect(await world.deps.store.upstreamCustomerOf(shop, customer, 'test:Shop')).toBe('up_2');
    expect(
      await world.deps.store.upstreamCustomerOf(tenantIn(shop.accountId, true), customer, null),
    ).toBeNull();
  });
});

describe('a method saved at another merchant account', () => {
  const elsewhere = {
    processorIdentity: 'test:Other',
    saved: { token: 'tok_other', upstreamCustomer: 'up_9' },
  };

  it('is not chargeable, and its id of the customer is not used', async () => {
    const own = await world.save(shop, customer);
    await world.save(shop, customer, elsewhere);
    expect((await newest())?.id).toBe(own);
    expect(await world.deps.store.upstreamCustomerOf(shop, customer, 'test:Shop')).toBeNull();
    expect(await world.deps.store.upstreamCustomerOf(shop, customer, 'test:Other')).toBe('up_9');
  });
});

describe('a method that the upstream has deleted', () => {
  it('is expired for every customer who has it, and the upstream is not asked about it again', async () => {
    const id = await world.save(shop, customer, { token: 'tok_revoked' });
    const other = await world.save(shop, await world.addCustomer(shop), { token: 'tok_revoked' });
    const kept = await world.save(shop, customer, { token: 'tok_kept' });
    const removed = { token: 'tok_revoked', sender: 'test:Shop', at: shop.now };
    await forgetInstrument(world.deps, { ...shop, ...tenantIn(shop.accountId, true) }, removed);
    expect((await shown(id)).status).toBe('active');
    await forgetInstrument(world.deps, shop, { ...removed, sender: 'test:Other' });
    expect((await shown(id)).status).toBe('active');
    await forgetInstrument(world.deps, shop, removed);
    expect([(await shown(id)).status, (await shown(other)).status]).toEqual(['expired', 'expired']);
    expect((await shown(kept)).status).toBe('active');
    await forgetInstrument(world.deps, shop, { ...removed, token: 'tok_unknown' });
  });
});
