import { beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../../support/dashboard.ts';
import { expectError } from '../../support/expect-error.ts';
import { Merchant, till, tillRaw } from '../../support/merchant.ts';
import { until } from '../../support/until.ts';

/** Requests that wait for a person's approval (decisions, "Extensions of the second plan"). */
let shop: Merchant;
let holder: Merchant;
let owner: Browser;
let support: Browser;
let key: string;

const keyOf = async (of: Merchant) => {
  const options = [
    '--permissions',
    'payments:*,refunds:*,links:*,approvals:read',
    '--approval-above',
    '1000',
  ];
  const made = await till<{ secret_key: string }>('keys', 'create', '--account', of.id, ...options);
  return made.secret_key;
};

beforeAll(async () => {
  [shop, holder] = await Promise.all([Merchant.open(), Merchant.open('processor_b')]);
  owner = await Browser.of(shop, 'owner');
  support = await Browser.of(shop, 'support');
  key = await keyOf(shop);
});

const path = (rest: string) => `/accounts/${shop.id}${rest}`;
const approvalOf = async (id: string, of = shop) => (await of.get(`/api/v1/approvals/${id}`)).body;

let last = 0;
/** Requests a refund that needs approval. */
async function ask(amount: number | undefined = 4990, of = shop, withKey = key) {
  const paid = (await of.pay({ amount: 4990 })).body;
  last += 1;
  const idempotencyKey = `wait-${last}`;
  const send = () =>
    of.post(
      `/api/v1/payments/${paid.id}/refunds`,
      { ...(amount === undefined ? {} : { amount }), reason: 'requested_by_customer', note: 'Never came' },
      { key: withKey, idempotencyKey },
    );
  return { paid, send, reply: await send() };
}
const refundsOf = async (payment: string, of = shop) =>
  (await of.get(`/api/v1/payments/${payment}/refunds`)).body.data;

describe('a refund above what its key may have done by itself', () => {
  it('is answered 202 with an approval, and nothing is refunded', async () => {
    const { paid, reply } = await ask(undefined);
    expect(reply.status, reply.text).toBe(202);
    expect(reply.body).toEqual({
      id: expect.stringMatching(/^apr_[a-z0-9]{24}$/),
      object: 'approval',
      status: 'pending',
      action: 'refund',
      amount: 4990,
      currency: 'EUR',
      resource: paid.id,
      result: null,
      failure: null,
      requested_by: expect.stringMatching(/^key_/),
      requester_email: null,
      decided_by: null,
      reason: null,
      expires_at: expect.stringMatching(/Z$/),
      livemode: false,
      created: expect.any(Number),
    });
    expect(Date.parse(reply.body.expires_at) / 1000 - reply.body.created).toBe(72 * 3600);
    expect(await refundsOf(paid.id)).toEqual([]);
    const listed = await shop.call('GET', '/api/v1/approvals?status=pending', { key });
    expect(listed.body.data[0]).toEqual(reply.body);
    expect(await approvalOf(reply.body.id)).toEqual(reply.body);
    const { data } = (await shop.get('/api/v1/events?type=approval.created')).body;
    expect(data[0]).toMatchObject({ data: { object: reply.body }, sequence: 1 });
  });

  it('up to that amount, and with a full key, is done at once', async () => {
    const { reply } = await ask(1000);
    expect(reply.status).toBe(201);
    const { reply: full } = await ask(4990, shop, shop.key);
    expect(full.status).toBe(201);
  });

  it('that is not possible is refused at once', async () => {
    const { reply } = await ask(4991);
    expectError(reply, 'amount_invalid');
  });

  it('with metadata or an amount that no refund may have is refused at once', async () => {
    const paid = (await shop.pay({ amount: 4990 })).body;
    const metadata = { a: 'é'.repeat(251) };
    expectError(
      await shop.post(`/api/v1/payments/${paid.id}/refunds`, { metadata }, { key }),
      'metadata_invalid',
    );
    const whole = (await holder.pay({ amount: 500_000, currency: 'HUF' })).body;
    const refunds = `/api/v1/payments/${whole.id}/refunds`;
    const odd = await holder.post(refunds, { amount: 150_050 }, { key: await keyOf(holder) });
    expectError(odd, 'amount_invalid', 'amount');
  });

  it('that another one of the payment leaves no room for is refused until that is decided', async () => {
    const { paid, reply } = await ask(3000);
    const more = (amount: number) => shop.post(`/api/v1/payments/${paid.id}/refunds`, { amount }, { key });
    expectError(await more(2000), 'amount_invalid', 'amount');
    expect((await more(1990)).status).toBe(202);
    await owner.post(path(`/approvals/${reply.body.id}/refuse`), { reason: 'No' });
    expect((await more(3000)).status).toBe(202);
  });

  it('runs once when it is approved: the repeat of its request answers the approval before, the refund after', async () => {
    const { paid, send, reply } = await ask();
    const again = await send();
    expect([again.status, again.body]).toEqual([202, reply.body]);
    const approve = () => owner.post(path(`/approvals/${reply.body.id}/approve`), { reason: 'Fine' });
    const replies = await Promise.all([approve(), approve(), approve()]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const approval = await approvalOf(reply.body.id);
    expect(approval).toMatchObject({
      status: 'approved',
      decided_by: expect.stringContaining('@'),
      reason: 'Fine',
    });
    const refunds = await refundsOf(paid.id);
    expect(refunds).toMatchObject([{ id: approval.result, amount: 4990, note: 'Never came' }]);
    const done = await send();
    expect([done.status, done.body.id]).toEqual([201, approval.result]);
    const other = await shop.post(
      `/api/v1/payments/${paid.id}/refunds`,
      { amount: 4990 },
      { key, idempotencyKey: `wait-${last}` },
    );
    expectError(other, 'key_reused');
    const [decided] = (await shop.get('/api/v1/events?type=approval.decided')).body.data;
    expect(decided).toMatchObject({ sequence: 2, data: { object: { id: approval.id, status: 'approved' } } });
    const audit = (await owner.get(path('/audit_log?action=approval.approved'))).body.data;
    expect(audit[0]).toMatchObject({ object_id: approval.id, after: { amount: 4990, payment: paid.id } });
  });

  it('is closed when it is refused, with the reason', async () => {
    const { paid, send, reply } = await ask();
    const refused = await owner.post(path(`/approvals/${reply.body.id}/refuse`), { reason: 'Not sent back' });
    expect(refused.body).toMatchObject({ status: 'refused', reason: 'Not sent back', result: null });
    expect(await refundsOf(paid.id)).toEqual([]);
    expect((await send()).body).toEqual(refused.body);
    const late = await owner.post(path(`/approvals/${reply.body.id}/approve`), {});
    expect([late.status, late.body.error.code]).toEqual([409, 'conflict']);
  });

  it('that became impossible meanwhile is shown as failed, with the reason', async () => {
    const { paid, reply } = await ask();
    expect((await shop.post(`/api/v1/payments/${paid.id}/refunds`, {})).status).toBe(201);
    const approved = await owner.post(path(`/approvals/${reply.body.id}/approve`), {});
    expect(approved.body).toMatchObject({
      status: 'approved',
      result: null,
      failure: { code: 'amount_invalid' },
    });
    expect(await refundsOf(paid.id)).toHaveLength(1);
  });

  it('is closed after 72 hours of account time', async () => {
    const own = await Merchant.open();
    const { paid, send, reply } = await ask(4990, own, await keyOf(own));
    await till('clock', 'advance', '--account', own.id, '--seconds', String(72 * 3600 - 60));
    expect((await approvalOf(reply.body.id, own)).status).toBe('pending');
    await own.post('/api/v1/test_helpers/clock/advance', { seconds: 60 });
    expect(await approvalOf(reply.body.id, own)).toMatchObject({ status: 'expired', decided_by: null });
    const late = await tillRaw('approvals', 'approve', reply.body.id, '--json');
    expect(JSON.parse(late.out)).toMatchObject({ error: { code: 'already_decided' } });
    expect(await refundsOf(paid.id, own)).toEqual([]);
    // After 24 hours the idempotency key counts as new.
    expect((await send()).body.id).not.toBe(reply.body.id);
  });

  it('holds the key of its request for as long as it is open: a repeat on the next day asks for nothing more', async () => {
    const own = await Merchant.open();
    const { paid, send, reply } = await ask(2000, own, await keyOf(own));
    await till('clock', 'advance', '--account', own.id, '--seconds', String(71 * 3600));
    const again = await send();
    expect([again.status, again.body]).toEqual([202, reply.body]);
    await till('approvals', 'approve', reply.body.id);
    await until('it was done', async () => (await approvalOf(reply.body.id, own)).result !== null);
    expect((await send()).status).toBe(201);
    expect(await refundsOf(paid.id, own)).toMatchObject([{ amount: 2000 }]);
  });

  it('is decided at the command line too, and done by the server', async () => {
    const { paid, reply } = await ask();
    const listed = await tillRaw('approvals', 'list', '--account', shop.id, '--status', 'pending', '--json');
    expect(listed.out).toContain(reply.body.id);
    const decided = await till<object>('approvals', 'approve', reply.body.id, '--reason', 'Seen');
    expect(decided).toMatchObject({ status: 'approved', decided_by: 'operator', reason: 'Seen' });
    await until('it was done', async () => (await approvalOf(reply.body.id)).result !== null);
    expect(await refundsOf(paid.id)).toHaveLength(1);
    const unknown = await tillRaw('approvals', 'refuse', 'apr_000000000000000000000000', '--json');
    expect(JSON.parse(unknown.out)).toMatchObject({ error: { code: 'approval_not_found' } });
  });
});

describe('who decides', () => {
  it('is an owner or an admin, in the dashboard, never the API', async () => {
    const { reply } = await ask();
    for (const decision of ['approve', 'refuse']) {
      const refused = await support.post(path(`/approvals/${reply.body.id}/${decision}`), {});
      expect([refused.status, refused.body.error.code]).toEqual([403, 'forbidden']);
      expect((await shop.post(`/api/v1/approvals/${reply.body.id}/${decision}`, {})).status).toBe(404);
    }
    const { data } = (await support.get(path('/approvals?status=pending'))).body;
    expect(data[0]).toMatchObject({
      approval: { id: reply.body.id },
      why: 'Requested by customer: Never came',
    });
  });

  it('gets a mail, and only sees those of their own account and mode', async () => {
    const { reply } = await ask();
    const { data } = (await owner.get(path('/mails'))).body;
    expect(data[0].subject).toContain('waits for your approval');
    const other = await Merchant.open();
    expectError(await other.get(`/api/v1/approvals/${reply.body.id}`), 'not_found');
    expect((await other.get('/api/v1/approvals')).body.data).toEqual([]);
    const stranger = await Browser.of(other, 'owner');
    const foreign = await stranger.post(`/accounts/${other.id}/approvals/${reply.body.id}/approve`, {});
    expect(foreign.status).toBe(404);
  });
});

describe('a capture above what its key may have done by itself', () => {
  it('waits, and collects the hold once it is approved', async () => {
    const agent = await keyOf(holder);
    const person = await Browser.of(holder, 'admin');
    const hold = (await holder.pay({ amount: 5000, capture_method: 'manual' })).body;
    const capture = () =>
      holder.post(`/api/v1/payments/${hold.id}/capture`, {}, { key: agent, idempotencyKey: 'capture-1' });
    const waits = await capture();
    expect([waits.status, waits.body.action]).toEqual([202, 'capture']);
    const again = await holder.post(`/api/v1/payments/${hold.id}/capture`, {}, { key: agent });
    expectError(again, 'limit_exceeded');
    expect((await holder.get(`/api/v1/payments/${hold.id}`)).body.status).toBe('authorized');
    const approved = await person.post(`/accounts/${holder.id}/approvals/${waits.body.id}/approve`, {});
    expect(approved.body).toMatchObject({ status: 'approved', result: hold.id, failure: null });
    const done = await capture();
    expect([done.status, done.body.status]).toEqual([200, 'succeeded']);
  });

  it('is refused at once where the hold is over', async () => {
    const own = await Merchant.open('processor_b');
    const agent = await keyOf(own);
    const hold = (await own.pay({ amount: 5000, capture_method: 'manual' })).body;
    await till('clock', 'advance', '--account', own.id, '--seconds', String(29 * 24 * 3600));
    const late = await own.post(`/api/v1/payments/${hold.id}/capture`, {}, { key: agent });
    expectError(late, 'invalid_params');
    expect((await own.get('/api/v1/approvals')).body.data).toEqual([]);
  });
});
