import { beforeAll, describe, expect, it } from 'vitest';
import { expectError, withoutRequestId } from '../../support/expect-error.ts';
import { freshEmail, Merchant, type Reply, till } from '../../support/merchant.ts';

const customers = '/api/v1/customers';
const unknownId = (prefix: string) => `${prefix}_000000000000000000000000`;

let shop: Merchant;
let other: Merchant;

beforeAll(async () => {
  [shop, other] = await Promise.all([Merchant.open(), Merchant.open()]);
});

const withHeader = (authorization: string): Promise<Reply> =>
  shop.call('GET', customers, { key: null, headers: { authorization } });
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

describe('presenting a key', () => {
  it('issues keys as prefix and 32 base62 characters', () => {
    expect(shop.key).toMatch(/^sk_test_[0-9A-Za-z]{32}$/);
  });

  it.each([
    ['Bearer', () => `Bearer ${shop.key}`],
    ['a scheme in lower case', () => `bearer ${shop.key}`],
    ['a scheme in upper case', () => `BEARER ${shop.key}`],
    ['Basic with an empty password', () => basic(`${shop.key}:`)],
    ['basic in lower case', () => basic(`${shop.key}:`).replace('Basic', 'basic')],
  ])('accepts %s', async (_name, header) => {
    expect((await withHeader(header())).status).toBe(200);
  });

  it('answers missing_api_key without the header', async () => {
    expectError(await shop.call('GET', customers, { key: null }), 'missing_api_key');
  });

  it.each([
    ['an unknown key', () => `Bearer sk_test_${'x'.repeat(32)}`],
    ['the key in other letter case', () => `Bearer ${shop.key.toUpperCase()}`],
    ['the key with one character more', () => `Bearer ${shop.key}a`],
    ['the key without a scheme', () => shop.key],
    ['another scheme', () => `Digest ${shop.key}`],
    ['Bearer without a key', () => 'Bearer'],
    ['two keys', () => `Bearer ${shop.key} ${shop.key}`],
    ['Basic with a password', () => basic(`${shop.key}:secret`)],
    ['Basic with the key as password', () => basic(`:${shop.key}`)],
    ['Basic that is no base64', () => 'Basic ???'],
    ['an unknown key of 8,000 characters', () => `Bearer sk_test_${'a'.repeat(8000)}`],
  ])('answers invalid_api_key for %s', async (_name, header) => {
    expectError(await withHeader(header()), 'invalid_api_key');
  });

  it('does not take a key from the address', async () => {
    expectError(await shop.call('GET', `${customers}?api_key=${shop.key}`, { key: null }), 'missing_api_key');
  });
});

describe('the life of a key', () => {
  it('refuses a revoked key on the very next request, and only that one', async () => {
    const { id, secret_key: key } = await till<{ id: string; secret_key: string }>(
      'keys',
      'create',
      '--account',
      shop.id,
    );
    expect((await shop.call('GET', customers, { key })).status).toBe(200);
    await till('keys', 'revoke', id);
    expectError(await shop.call('GET', customers, { key }), 'invalid_api_key');
    expectError(await shop.pay({}, { key }), 'invalid_api_key');
    expect((await shop.get(customers)).status).toBe(200);
  });

  it('refuses a key of the other environment and accepts it again after switching back', async () => {
    const account = await Merchant.open();
    await till('accounts', 'update', account.id, '--environment', 'live');
    expectError(await account.get(customers), 'key_mode_mismatch');
    expectError(await account.pay(), 'key_mode_mismatch');
    const { secret_key: liveKey } = await till<{ secret_key: string }>(
      'keys',
      'create',
      '--account',
      account.id,
    );
    expect(liveKey).toMatch(/^sk_live_[0-9A-Za-z]{32}$/);
    expect((await account.call('GET', customers, { key: liveKey })).status).toBe(200);
    await till('accounts', 'update', account.id, '--environment', 'sandbox');
    expect((await account.get(customers)).status).toBe(200);
    expectError(await account.call('GET', customers, { key: liveKey }), 'key_mode_mismatch');
  });
});

describe('records of the other mode', () => {
  it('are invisible, do not collide, and are visible again after switching back', async () => {
    const account = await Merchant.open();
    const email = freshEmail();
    const fields = { email, external_id: 'one' };
    const sandboxCustomer = (await account.post(customers, fields)).body;
    const sandboxPayment = (await account.pay()).body;
    const { data } = (await account.get('/api/v1/events')).body;

    await till('accounts', 'update', account.id, '--environment', 'live', '--activation', 'active');
    const { secret_key: key } = await till<{ secret_key: string }>('keys', 'create', '--account', account.id);
    for (const list of ['customers', 'payments', 'events']) {
      const reply = await account.call('GET', `/api/v1/${list}`, { key });
      expect(reply.body).toEqual({ object: 'list', data: [], has_more: false, total_count: 0 });
    }
    for (const path of [
      `customers/${sandboxCustomer.id}`,
      `payments/${sandboxPayment.id}`,
      `events/${data[0].id}`,
    ]) {
      expectError(await account.call('GET', `/api/v1/${path}`, { key }), 'not_found');
    }
    expectError(await account.pay({ customer: sandboxCustomer.id }, { key }), 'customer_not_found');
    const liveCustomer = await account.post(customers, fields, { key });
    expect(liveCustomer.status).toBe(201);
    expect(liveCustomer.body.livemode).toBe(true);

    await till('accounts', 'update', account.id, '--environment', 'sandbox');
    expect((await account.get(`${customers}/${sandboxCustomer.id}`)).body).toEqual(sandboxCustomer);
    expectError(await account.get(`${customers}/${liveCustomer.body.id}`), 'not_found');
    expect((await account.get(customers)).body.total_count).toBe(1);
  });
});

describe("another merchant's records", () => {
  it.each([
    ['customers', 'cus', async () => (await other.post(customers, { email: freshEmail() })).body.id],
    ['payments', 'pay', async () => (await other.pay()).body.id],
    [
      'events',
      'evt',
      async () => {
        await other.pay();
        return (await other.get('/api/v1/events')).body.data[0].id;
      },
    ],
  ])('answer like unknown ids, byte for byte: %s', async (list, prefix, make) => {
    const theirs = await make();
    expect((await other.get(`/api/v1/${list}/${theirs}`)).status).toBe(200);
    const reply = await shop.get(`/api/v1/${list}/${theirs}`);
    expectError(reply, 'not_found');
    const unknown = await shop.get(`/api/v1/${list}/${unknownId(prefix)}`);
    expect(withoutRequestId(reply)).toBe(withoutRequestId(unknown));
    const malformed = await shop.get(`/api/v1/${list}/x'%20OR%20'1'%3D'1`);
    expect(withoutRequestId(malformed)).toBe(withoutRequestId(unknown));
  });

  it('cannot be changed', async () => {
    const theirs = (await other.post(customers, { email: freshEmail(), name: 'Before' })).body;
    expectError(
      await shop.call('PATCH', `${customers}/${theirs.id}`, { body: { name: 'After' } }),
      'not_found',
    );
    expect((await other.get(`${customers}/${theirs.id}`)).body).toEqual(theirs);
  });

  it('cannot be charged: customer_not_found, byte for byte like an unknown customer', async () => {
    const theirs = (await other.post(customers, { email: freshEmail() })).body.id;
    const reply = await shop.pay({ customer: theirs });
    expectError(reply, 'customer_not_found', undefined);
    expect(withoutRequestId(reply)).toBe(withoutRequestId(await shop.pay({ customer: unknownId('cus') })));
  });

  it('are not listed and not found by a filter', async () => {
    const theirs = (await other.post(customers, { email: freshEmail() })).body;
    await other.pay({ customer: theirs.id, reference: 'theirs' });
    for (const query of [
      `customers?email=${encodeURIComponent(theirs.email)}`,
      `payments?customer=${theirs.id}`,
      'payments?reference=theirs',
    ]) {
      expect((await shop.get(`/api/v1/${query}`)).body).toMatchObject({ data: [], total_count: 0 });
    }
  });

  it('do not take an e-mail address or an external id away', async () => {
    const fields = { email: freshEmail(), external_id: 'shared' };
    expect((await other.post(customers, fields)).status).toBe(201);
    expect((await shop.post(customers, fields)).status).toBe(201);
  });
});
