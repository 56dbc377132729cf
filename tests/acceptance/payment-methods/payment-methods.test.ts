import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectError, withoutRequestId } from '../../support/expect-error.ts';
import { freshEmail, Merchant, type Reply, till } from '../../support/merchant.ts';

const customers = '/api/v1/customers';
const methods = '/api/v1/payment_methods';
const unknownId = 'pm_000000000000000000000000';
/** Card numbers that both processors approve. */
const numbers = [
  '4111111111111111',
  '5555555555554444',
  '4012000033330026',
  '4217651111111119',
  '4500600000000061',
];

const newCustomer = async (shop: Merchant): Promise<string> =>
  (await shop.post(customers, { email: freshEmail() })).body.id;

/** Saves a card of the customer with its first charge. @returns the `pm_` id */
async function save(shop: Merchant, customer: string, number = numbers[0]): Promise<string> {
  const reply = await shop.pay({ customer, save_payment_method: true, card: { number } });
  expect(reply.status).toBe(201);
  expect(reply.body.payment_method_id).toMatch(/^pm_[a-z0-9]{24}$/);
  return reply.body.payment_method_id;
}

const charge = (shop: Merchant, customer: string, changes: Record<string, unknown>) =>
  shop.post('/api/v1/payments', {
    amount: 1200,
    currency: 'EUR',
    customer,
    merchant_initiated: true,
    ...changes,
  });
const list = (shop: Merchant, customer: string, query = '') =>
  shop.get(`${customers}/${customer}/payment_methods${query}`);
const remove = (shop: Merchant, path: string) => shop.call('DELETE', path);
/** Expects that the charge is refused because it names no usable method. */
function expectRefused(reply: Reply, param: string): void {
  expectError(reply, 'invalid_params');
  expect(reply.body.error.param).toBe(param);
}
const idsOf = (reply: Reply): string[] => reply.body.data.map((method: { id: string }) => method.id);

describe.each(['processor_a', 'processor_b'] as const)('saved methods on %s', (processor) => {
  let shop: Merchant;
  let customer: string;

  beforeAll(async () => {
    shop = await Merchant.open(processor);
    customer = await newCustomer(shop);
  });

  it('are retrieved as they are listed', async () => {
    const id = await save(shop, customer);
    const reply = await shop.get(`${methods}/${id}`);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ id, object: 'payment_method', customer, status: 'active' });
    expect((await list(shop, customer)).body.data).toEqual([reply.body]);
  });

  it('are paged, newest first', async () => {
    const buyer = await newCustomer(shop);
    const ids: string[] = [];
    for (const number of numbers) ids.unshift(await save(shop, buyer, number));
    expect(new Set(ids).size).toBe(numbers.length);
    const pages = await Promise.all(
      [1, 2, 3, 4].map((page) => list(shop, buyer, `?page=${page}&per_page=2`)),
    );
    expect(pages.flatMap(idsOf)).toEqual(ids);
    expect(pages.map(({ body }) => body.has_more)).toEqual([true, true, false, false]);
    for (const { status, body } of pages) {
      expect(status).toBe(200);
      expect(body).toMatchObject({ object: 'list', total_count: numbers.length });
    }
    expect(idsOf(await list(shop, buyer))).toEqual(ids);
  });

  it('are gone once removed: not retrieved, not listed, not charged, not removed again', async () => {
    const buyer = await newCustomer(shop);
    const kept = await save(shop, buyer, numbers[1]);
    const id = await save(shop, buyer, numbers[2]);
    const removed = await remove(shop, `${methods}/${id}`);
    expect(removed.status).toBe(200);
    expect(removed.body).toEqual({ id, object: 'payment_method', deleted: true });
    expectError(await shop.get(`${methods}/${id}`), 'not_found');
    expectError(await remove(shop, `${methods}/${id}`), 'not_found');
    expect(await list(shop, buyer)).toMatchObject({ body: { data: [{ id: kept }], total_count: 1 } });
    const before = (await shop.ledger()).charges.length;
    expectRefused(await charge(shop, buyer, { stored_payment_method: id }), 'stored_payment_method');
    expect((await shop.ledger()).charges).toHaveLength(before);
    expect((await charge(shop, buyer, { stored_payment_method: kept })).status).toBe(201);
  });

  it('are removed under their customer as well, and under no other one', async () => {
    const [buyer, stranger] = [await newCustomer(shop), await newCustomer(shop)];
    const id = await save(shop, buyer);
    for (const other of [stranger, 'cus_000000000000000000000000', '%00', 'x'])
      expectError(await remove(shop, `${customers}/${other}/payment_methods/${id}`), 'not_found');
    expect((await shop.get(`${methods}/${id}`)).status).toBe(200);
    const removed = await remove(shop, `${customers}/${buyer}/payment_methods/${id}`);
    expect(removed).toMatchObject({ status: 200, body: { id, deleted: true } });
    expectError(await remove(shop, `${customers}/${buyer}/payment_methods/${id}`), 'not_found');
  });

  it('of two customers are two, each removable by itself', async () => {
    const [first, second] = [await newCustomer(shop), await newCustomer(shop)];
    const [one, two] = [await save(shop, first), await save(shop, second)];
    expect(one).not.toBe(two);
    expect((await remove(shop, `${methods}/${one}`)).status).toBe(200);
    expect(idsOf(await list(shop, second))).toEqual([two]);
    expect((await charge(shop, second, { stored_payment_method: two })).status).toBe(201);
    expectRefused(await charge(shop, first, { stored_payment_method: two }), 'stored_payment_method');
  });

  it('are saved anew after a removal', async () => {
    const buyer = await newCustomer(shop);
    const first = await save(shop, buyer);
    await remove(shop, `${methods}/${first}`);
    const again = await save(shop, buyer);
    expect(again).not.toBe(first);
    expect(idsOf(await list(shop, buyer))).toEqual([again]);
    expect((await charge(shop, buyer, { stored_payment_method: again })).status).toBe(201);
  });

  it('make use_last_payment_method fall back to the one before when the newest is removed, then to none', async () => {
    const buyer = await newCustomer(shop);
    const [older, newer] = [await save(shop, buyer, numbers[0]), await save(shop, buyer, numbers[1])];
    const last = () => charge(shop, buyer, { use_last_payment_method: true });
    expect((await last()).body.payment_method_id).toBe(newer);
    await remove(shop, `${methods}/${newer}`);
    expect((await last()).body.payment_method_id).toBe(older);
    await remove(shop, `${methods}/${older}`);
    expectRefused(await last(), 'use_last_payment_method');
  });

  it('ignore an Idempotency-Key on DELETE', async () => {
    const id = await save(shop, await newCustomer(shop));
    const headers = { 'idempotency-key': randomUUID() };
    const first = await shop.call('DELETE', `${methods}/${id}`, { headers });
    expect(first.status).toBe(200);
    const second = await shop.call('DELETE', `${methods}/${id}`, { headers });
    expectError(second, 'not_found');
    expect(second.headers.get('idempotent-replayed')).toBeNull();
  });

  it('are removed once by concurrent requests', async () => {
    const id = await save(shop, await newCustomer(shop));
    const replies = await Promise.all(Array.from({ length: 6 }, () => remove(shop, `${methods}/${id}`)));
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 404, 404, 404, 404, 404]);
  });
});

describe('a saved method', () => {
  let shop: Merchant;
  let customer: string;

  beforeAll(async () => {
    shop = await Merchant.open('processor_b');
    customer = await newCustomer(shop);
  });

  it('is expired once its month is over in account time', async () => {
    const merchant = await Merchant.open('processor_a');
    const id = await save(merchant, await newCustomer(merchant));
    expect((await merchant.get(`${methods}/${id}`)).body.status).toBe('active');
    await till('clock', 'advance', '--account', merchant.id, '--seconds', '315360000');
    expect((await merchant.get(`${methods}/${id}`)).body).toMatchObject({ id, status: 'expired' });
  });

  it('of another account answers like an unknown one, byte for byte, and stays as it is', async () => {
    const other = await Merchant.open('processor_b');
    const theirs = await newCustomer(other);
    const id = await save(other, theirs);
    for (const method of ['GET', 'DELETE']) {
      const reply = await shop.call(method, `${methods}/${id}`);
      expectError(reply, 'not_found');
      const unknown = await shop.call(method, `${methods}/${unknownId}`);
      expect(withoutRequestId(reply)).toBe(withoutRequestId(unknown));
    }
    expectError(await remove(shop, `${customers}/${theirs}/payment_methods/${id}`), 'not_found');
    expectError(await list(shop, theirs), 'not_found');
    expectRefused(await charge(shop, customer, { stored_payment_method: id }), 'stored_payment_method');
    expect((await other.get(`${methods}/${id}`)).status).toBe(200);
  });

  it('of the other mode is not found until the account is switched back', async () => {
    const merchant = await Merchant.open('processor_b');
    const buyer = await newCustomer(merchant);
    const id = await save(merchant, buyer);
    await till('accounts', 'update', merchant.id, '--environment', 'live', '--activation', 'active');
    const { secret_key: key } = await till<{ secret_key: string }>(
      'keys',
      'create',
      '--account',
      merchant.id,
    );
    const live = new Merchant(merchant.id, key);
    for (const method of ['GET', 'DELETE'])
      expectError(await live.call(method, `${methods}/${id}`), 'not_found');
    expectError(await list(live, buyer), 'not_found');
    const liveBuyer = await newCustomer(live);
    expectRefused(await charge(live, liveBuyer, { stored_payment_method: id }), 'stored_payment_method');
    const liveId = await save(live, liveBuyer);
    expect((await live.get(`${methods}/${liveId}`)).body.livemode).toBe(true);
    await till('accounts', 'update', merchant.id, '--environment', 'sandbox');
    expectError(await merchant.get(`${methods}/${liveId}`), 'not_found');
    expect((await merchant.get(`${methods}/${id}`)).body).toMatchObject({ id, livemode: false });
  });

  it('that does not exist is not found, whatever the id looks like', async () => {
    for (const id of [unknownId, customer, 'x', '%00', `pm_${'a'.repeat(5000)}`, "x'%20OR%20'1'%3D'1"]) {
      expectError(await shop.get(`${methods}/${id}`), 'not_found');
      expectError(await remove(shop, `${methods}/${id}`), 'not_found');
      expectError(await remove(shop, `${customers}/${customer}/payment_methods/${id}`), 'not_found');
    }
  });
});

describe('the list of saved methods', () => {
  let shop: Merchant;
  beforeAll(async () => {
    shop = await Merchant.open();
  });

  it('is empty for a customer who saved nothing', async () => {
    const reply = await list(shop, await newCustomer(shop));
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ object: 'list', data: [], has_more: false, total_count: 0 });
  });

  it('of an unknown customer is not found', async () => {
    for (const id of ['cus_000000000000000000000000', 'x', '%00', unknownId])
      expectError(await list(shop, id), 'not_found');
  });

  it.each([
    ['page', '0'],
    ['page', 'x'],
    ['per_page', '0'],
    ['per_page', '101'],
    ['per_page', '1.5'],
  ])('refuses %s=%s', async (param, value) => {
    expectError(await list(shop, await newCustomer(shop), `?${param}=${value}`), 'invalid_params', param);
  });
});
