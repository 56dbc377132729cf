import { beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../../support/dashboard.ts';
import { expectError } from '../../support/expect-error.ts';
import { Merchant, till } from '../../support/merchant.ts';

/** Payment links that wait for a person's approval (decisions, "Extensions of the second plan"). */
let shop: Merchant;
let owner: Browser;
let key: string;

const keyOf = async (of: Merchant) => {
  const options = ['--permissions', 'links:*,approvals:read', '--approval-above', '1000'];
  const made = await till<{ secret_key: string }>('keys', 'create', '--account', of.id, ...options);
  return made.secret_key;
};

beforeAll(async () => {
  shop = await Merchant.open();
  owner = await Browser.of(shop, 'owner');
  key = await keyOf(shop);
});

const path = (rest: string) => `/accounts/${shop.id}${rest}`;
const approvalOf = async (id: string) => (await shop.get(`/api/v1/approvals/${id}`)).body;

describe('a payment link above what its key may have made by itself', () => {
  const course = { title: 'Course', description: 'Two days', currency: 'EUR', amount: 1001 };
  const make = (body: object, idempotencyKey: string | null = null, withKey = key) =>
    shop.post('/api/v1/payment_links', body, { key: withKey, idempotencyKey });
  const links = async () => (await shop.get('/api/v1/payment_links')).body.data;
  const approve = (id: string) => owner.post(path(`/approvals/${id}/approve`), {});

  it('waits by the largest amount that a buyer could pay with it, and is made once it is approved', async () => {
    const before = (await links()).length;
    const waits = await make(course, 'link-once');
    expect([waits.status, waits.body], waits.text).toMatchObject([
      202,
      { action: 'payment_link', amount: 1001, currency: 'EUR', resource: null, result: null },
    ]);
    expect((await make(course, 'link-once')).body).toEqual(waits.body);
    expect(await links()).toHaveLength(before);
    const { data } = (await owner.get(path('/approvals?status=pending'))).body;
    expect(data[0]).toMatchObject({ why: 'Two days: payable any number of times', reference: 'Course' });
    const replies = await Promise.all([approve(waits.body.id), approve(waits.body.id)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    const { result } = await approvalOf(waits.body.id);
    expect(await links()).toHaveLength(before + 1);
    expect((await links())[0]).toMatchObject({ ...course, id: result, status: 'active' });
    const done = await make(course, 'link-once');
    expect([done.status, done.body.id]).toEqual([201, result]);
    expectError(await make({ ...course, amount: 1002 }, 'link-once'), 'key_reused');
    const [made] = (await shop.get('/api/v1/events?type=payment_link.created')).body.data;
    expect(made.data.object).toEqual(done.body);
    const audit = (await owner.get(path('/audit_log?action=approval.approved'))).body.data;
    expect(audit[0]).toMatchObject({ after: { action: 'payment_link', title: 'Course', amount: 1001 } });
  });

  it('up to that amount is made at once, and an open amount waits by its upper bound', async () => {
    expect((await make({ ...course, amount: 1000, max_payments: 1000 })).status).toBe(201);
    const open = { title: 'Donation', currency: 'EUR' };
    expect((await make({ ...open, amount_range: { min: 100, max: 1000 } })).status).toBe(201);
    const waits = await make({ ...open, amount_range: { min: 100, max: 1001 } }, null);
    expect([waits.status, waits.body.amount]).toEqual([202, 1001]);
    const { data } = (await owner.get(path('/approvals?status=pending'))).body;
    expect(data[0].why).toBe('Payable from 1.00 to 10.01 EUR, any number of times');
    expect((await make(course, null, shop.key)).status).toBe(201);
  });

  it('is refused where a hundred requests of its key wait already', async () => {
    const busy = await keyOf(shop);
    for (let made = 0; made < 100; made += 1) expect((await make(course, null, busy)).status).toBe(202);
    expectError(await make(course, null, busy), 'limit_exceeded');
    expect((await make(course)).status).toBe(202);
  });

  it('that cannot be made, or is above max_amount, is refused at once', async () => {
    expectError(await make({ ...course, amount_range: { min: 1, max: 2 } }), 'invalid_params');
    const limits = ['--permissions', 'links:*', '--max-amount', '2000', '--approval-above', '1000'];
    const made = await till<{ secret_key: string }>('keys', 'create', '--account', shop.id, ...limits);
    const limited = made.secret_key;
    expectError(await make({ ...course, amount: 2001 }, null, limited), 'limit_exceeded');
    expect((await make({ ...course, amount: 2000 }, null, limited)).status).toBe(202);
  });

  it('that is closed is not opened either: switched on, for longer or more often', async () => {
    const { body } = await make(
      { ...course, max_payments: 1, expires_at: '2040-01-01T00:00:00Z' },
      null,
      shop.key,
    );
    const change = (fields: object, withKey = key) =>
      shop.call('PATCH', `/api/v1/payment_links/${body.id}`, { body: fields, key: withKey });
    expect((await change({ title: 'Short course', status: 'inactive' })).status).toBe(200);
    expect((await change({ expires_at: '2039-01-01T00:00:00Z' })).status).toBe(200);
    for (const fields of [{ status: 'active' }, { max_payments: 2 }, { expires_at: null }]) {
      const refused = await change(fields);
      expectError(refused, 'limit_exceeded');
      expect(refused.body.error.param, JSON.stringify(fields)).toBe('approval_above');
    }
    const limits = ['--permissions', 'links:*', '--max-amount', '1000'];
    const made = await till<{ secret_key: string }>('keys', 'create', '--account', shop.id, ...limits);
    const refused = await change({ status: 'active' }, made.secret_key);
    expect([refused.status, refused.body.error.param]).toEqual([403, 'max_amount']);
    const { body: same } = await shop.get(`/api/v1/payment_links/${body.id}`);
    expect(same).toMatchObject({ title: 'Short course', status: 'inactive', max_payments: 1 });
    expect((await change({ status: 'active', max_payments: null }, shop.key)).status).toBe(200);
    const small = await make({ ...course, amount: 1000 });
    for (const status of ['inactive', 'active']) {
      const { body: now } = await shop.call('PATCH', `/api/v1/payment_links/${small.body.id}`, {
        body: { status },
        key,
      });
      expect(now.status).toBe(status);
    }
  });

  it('that is over by the time it is approved is shown as failed', async () => {
    const own = await Merchant.open();
    const expires = new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+Z/, 'Z');
    const waits = await own.post(
      '/api/v1/payment_links',
      { ...course, expires_at: expires },
      { key: await keyOf(own) },
    );
    expect(waits.status, waits.text).toBe(202);
    await own.post('/api/v1/test_helpers/clock/advance', { seconds: 7200 });
    const person = await Browser.of(own, 'owner');
    const approved = await person.post(`/accounts/${own.id}/approvals/${waits.body.id}/approve`, {});
    expect(approved.body).toMatchObject({
      status: 'approved',
      result: null,
      failure: { code: 'invalid_params' },
    });
    expect((await own.get('/api/v1/payment_links')).body.data).toEqual([]);
  });
});
