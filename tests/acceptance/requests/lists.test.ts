import { beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../../support/expect-error.ts';
import { freshEmail, Merchant, till } from '../../support/merchant.ts';

let shop: Merchant;
/** Ids in the order of creation. There is an hour of account time between the first three and the rest. */
const ids: Record<'customers' | 'payments' | 'events', string[]> = {
  customers: [],
  payments: [],
  events: [],
};
let hourLater = 0;
let firstEmail = '';

const listOf = async (list: string, query = '') => (await shop.get(`/api/v1/${list}${query}`)).body;
const idsOf = (body: { data: { id: string }[] }) => body.data.map((item) => item.id);

async function makeOne(n: number): Promise<void> {
  const email = `List.${freshEmail()}`;
  if (n === 0) firstEmail = email;
  const customer = (await shop.post('/api/v1/customers', { email })).body;
  const declined = n % 3 === 2 ? { card: { holder_name: 'DECLINED' } } : {};
  const payment = await shop.pay({ customer: customer.id, reference: `ref-${n % 2}`, ...declined });
  ids.customers.push(customer.id);
  ids.payments.push(payment.body.id);
  ids.events.push((await listOf('events', '?per_page=1')).data[0].id);
  hourLater = payment.body.created;
}

beforeAll(async () => {
  shop = await Merchant.open();
  for (let n = 0; n < 3; n += 1) await makeOne(n);
  await till('clock', 'advance', '--account', shop.id, '--seconds', '3600');
  await makeOne(3);
  const boundary = hourLater;
  for (let n = 4; n < 21; n += 1) await makeOne(n);
  hourLater = boundary;
});

const lists = ['customers', 'payments', 'events'] as const;

describe.each(lists)('the list of %s', (list) => {
  const newestFirst = () => [...ids[list]].reverse();

  it('shows the newest 20 by default, with the number of all', async () => {
    expect(await listOf(list)).toEqual({
      object: 'list',
      data: expect.any(Array),
      has_more: true,
      total_count: 21,
    });
    expect(idsOf(await listOf(list))).toEqual(newestFirst().slice(0, 20));
  });

  it('is paged without gaps or repeats', async () => {
    const seen: string[] = [];
    for (let page = 1; page <= 3; page += 1) {
      const body = await listOf(list, `?page=${page}&per_page=9`);
      expect(body.has_more).toBe(page < 3);
      expect(body.total_count).toBe(21);
      seen.push(...idsOf(body));
    }
    expect(seen).toEqual(newestFirst());
  });

  it('says has_more false where a page ends with the list', async () => {
    expect(await listOf(list, '?per_page=21')).toMatchObject({ has_more: false, total_count: 21 });
    expect(await listOf(list, '?page=3&per_page=7')).toMatchObject({ has_more: false });
    expect(await listOf(list, '?page=2&per_page=20')).toMatchObject({ has_more: false });
    expect((await listOf(list, '?per_page=100')).data).toHaveLength(21);
  });

  it('is empty past its end', async () => {
    for (const page of [4, 1_000_000]) {
      const body = await listOf(list, `?per_page=7&page=${page}`);
      expect(body).toEqual({ object: 'list', data: [], has_more: false, total_count: 21 });
    }
  });

  it.each([
    ['page', '0'],
    ['page', '-1'],
    ['page', 'abc'],
    ['page', '1.5'],
    ['page', '1e1'],
    ['page', '0x1'],
    ['page', ' 1'],
    ['page', '99999999999999999999'],
    ['per_page', '0'],
    ['per_page', '101'],
    ['per_page', '-5'],
    ['per_page', '1.5'],
    ['per_page', 'all'],
  ])('refuses %s=%s', async (param, value) => {
    const reply = await shop.get(`/api/v1/${list}?${param}=${encodeURIComponent(value)}`);
    expectError(reply, 'invalid_params', param);
  });

  it('refuses a parameter that comes twice', async () => {
    expectError(await shop.get(`/api/v1/${list}?page=1&page=2`), 'invalid_params', 'page');
  });

  it('ignores unknown parameters', async () => {
    expect((await listOf(list, '?colour=red&limit=1')).data).toHaveLength(20);
  });

  it('has the very objects that retrieve answers', async () => {
    const { data } = await listOf(list, '?per_page=1');
    const retrieved = await shop.get(`/api/v1/${list}/${data[0].id}`);
    expect(data[0]).toEqual(retrieved.body);
  });

  it('is empty for a new account', async () => {
    const merchant = await Merchant.open();
    const reply = await merchant.get(`/api/v1/${list}`);
    expect(reply.body).toEqual({ object: 'list', data: [], has_more: false, total_count: 0 });
  });
});

describe('the filter of customers', () => {
  it('finds an e-mail address exactly, whatever its letter case', async () => {
    for (const email of [firstEmail, firstEmail.toUpperCase(), firstEmail.toLowerCase()]) {
      const body = await listOf('customers', `?email=${encodeURIComponent(email)}`);
      expect(idsOf(body)).toEqual([ids.customers[0]]);
      expect(body).toMatchObject({ has_more: false, total_count: 1 });
    }
  });

  it.each(['%', '_', '.*', 'List', '@shop.example', "' or '1'='1", '\\'])(
    'takes no pattern: %s',
    async (email) => {
      const body = await listOf('customers', `?email=${encodeURIComponent(email)}`);
      expect(body).toEqual({ object: 'list', data: [], has_more: false, total_count: 0 });
    },
  );

  it('finds an address with a plus sign', async () => {
    const email = `a+b.${freshEmail()}`;
    const merchant = await Merchant.open();
    await merchant.post('/api/v1/customers', { email });
    const reply = await merchant.get(`/api/v1/customers?email=${encodeURIComponent(email)}`);
    expect(reply.body.total_count).toBe(1);
  });
});

describe('the filters of payments', () => {
  it('select by status', async () => {
    const failed = await listOf('payments', '?status=failed&per_page=100');
    expect(idsOf(failed)).toEqual(ids.payments.filter((_id, n) => n % 3 === 2).reverse());
    expect(failed.total_count).toBe(7);
    expect(await listOf('payments', '?status=voided')).toMatchObject({ data: [], total_count: 0 });
  });

  it('select by customer', async () => {
    expect(idsOf(await listOf('payments', `?customer=${ids.customers[4]}`))).toEqual([ids.payments[4]]);
    const unknown = await listOf('payments', '?customer=cus_000000000000000000000000');
    expect(unknown).toEqual({ object: 'list', data: [], has_more: false, total_count: 0 });
  });

  it('select by reference', async () => {
    const body = await listOf('payments', '?reference=ref-1&per_page=4&page=2');
    expect(idsOf(body)).toEqual(
      ids.payments
        .filter((_id, n) => n % 2 === 1)
        .reverse()
        .slice(4, 8),
    );
    expect(body).toMatchObject({ total_count: 10, has_more: true });
    expect((await listOf('payments', '?reference=REF-1')).total_count).toBe(0);
  });

  it('select by the kind of payment method', async () => {
    expect((await listOf('payments', '?payment_method_type=card')).total_count).toBe(21);
    expect((await listOf('payments', '?payment_method_type=processor_b')).total_count).toBe(0);
  });

  it('combine', async () => {
    const body = await listOf('payments', `?status=failed&reference=ref-0&created_gte=${hourLater}`);
    expect(idsOf(body)).toEqual(
      ids.payments.filter((_id, n) => n >= 3 && n % 3 === 2 && n % 2 === 0).reverse(),
    );
  });

  it.each([
    ['status', 'paid'],
    ['status', 'processing'],
    ['payment_method_type', 'cash'],
    ['created_gte', 'yesterday'],
    ['created_gte', '-1'],
    ['created_lt', '1.5'],
  ])('refuse %s=%s', async (param, value) => {
    expectError(await shop.get(`/api/v1/payments?${param}=${value}`), 'invalid_params', param);
  });
});

describe.each(['payments', 'events'] as const)('the time filters of %s', (list) => {
  it('include the first second and exclude the last', async () => {
    const later = await listOf(list, `?created_gte=${hourLater}&per_page=100`);
    expect(idsOf(later)).toEqual(ids[list].slice(3).reverse());
    const earlier = await listOf(list, `?created_lt=${hourLater}`);
    expect(idsOf(earlier)).toEqual(ids[list].slice(0, 3).reverse());
    const none = await listOf(list, `?created_gte=${hourLater}&created_lt=${hourLater}`);
    expect(none).toMatchObject({ data: [], total_count: 0 });
  });
});
