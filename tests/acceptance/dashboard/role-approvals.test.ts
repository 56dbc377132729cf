import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../../support/dashboard.ts';
import { expectError } from '../../support/expect-error.ts';
import { Merchant, type Reply } from '../../support/merchant.ts';

/**
 * Status and error code of a response. These tests check what a role may not do alone in the dashboard (decisions,
 * "Extensions of the second plan").
 */
const codeOf = (reply: Reply) => [reply.status, reply.body?.error?.code];

let shop: Merchant;
let owner: Browser;
let admin: Browser;
let support: Browser;
beforeAll(async () => {
  shop = await Merchant.open('processor_b');
  owner = await Browser.of(shop, 'owner');
  admin = await Browser.of(shop, 'admin');
  support = await Browser.of(shop, 'support');
  expect((await set({ admin: 3000, support: 1000 })).status).toBe(200);
});

const at = (rest: string) => `/accounts/${shop.id}${rest}`;
const set = (body: object, by = owner) =>
  by.call('PATCH', at('/settings/role_approvals'), {
    body: { admin: null, support: null, developer: null, ...body },
  });
const refund = (by: Browser, payment: string, body: object, idempotencyKey: string = randomUUID()) =>
  by.post(at(`/payments/${payment}/refunds`), body, { idempotencyKey });
const pay = async (more: object = {}): Promise<string> => (await shop.pay({ amount: 4990, ...more })).body.id;
const approve = (by: Browser, id: string) => by.post(at(`/approvals/${id}/approve`), { reason: 'Fine' });
const refundsOf = async (payment: string) =>
  (await shop.get(`/api/v1/payments/${payment}/refunds`)).body.data;

describe('what a role asks for above its amount', () => {
  it('waits under the name of the person, and is done once somebody of another role approves it', async () => {
    const [payment, key] = [await pay(), randomUUID()];
    const ask = () => refund(support, payment, { amount: 1001, note: 'Never came' }, key);
    const waits = await ask();
    expect([waits.status, waits.body], waits.text).toMatchObject([
      202,
      {
        object: 'approval',
        action: 'refund',
        amount: 1001,
        resource: payment,
        requested_by: expect.stringMatching(/^usr_/),
        requester_email: expect.stringContaining('@'),
      },
    ]);
    const { requester_email: email, requested_by: person, id } = waits.body;
    expect((await shop.get(`/api/v1/approvals/${id}`)).body).toEqual(waits.body);
    expect((await ask()).body).toEqual(waits.body);
    expect(await refundsOf(payment)).toEqual([]);
    const { data } = (await owner.get(at('/approvals?status=pending'))).body;
    expect(data[0]).toMatchObject({ approval: { id }, requester: email, why: 'Never came' });
    const log = (await owner.get(at('/audit_log?action=approval.requested'))).body.data;
    expect(log).toHaveLength(1);
    expect(log[0]).toMatchObject({ object_id: id, after: { action: 'refund', payment, amount: 1001 } });
    expect((await owner.get(at('/audit_log?action=payment.refunded'))).body.data).toEqual([]);

    expect((await approve(admin, id)).body).toMatchObject({ status: 'approved', reason: 'Fine' });
    const [made, ...others] = await refundsOf(payment);
    expect([made.amount, others]).toEqual([1001, []]);
    const done = await ask();
    expect([done.status, done.body.id]).toEqual([201, made.id]);
    const decided = (await owner.get(at('/audit_log?action=approval.approved'))).body.data;
    expect(decided[0]).toMatchObject({ object_id: id, after: { requested_by: person } });
    const [mail] = (await owner.get(at('/mails'))).body.data;
    expect(mail.subject).toContain('A refund of 10.01 EUR waits for your approval');
  });

  it('is done at once up to that amount, by another role, and by API key', async () => {
    const payment = await pay();
    expect((await refund(support, payment, { amount: 1000 })).status).toBe(201);
    expect((await refund(admin, payment, { amount: 1001 })).status).toBe(201);
    expect((await shop.post(`/api/v1/payments/${payment}/refunds`, { amount: 1001 })).status).toBe(201);
    expect(codeOf(await refund(support, payment, { amount: 4991 }))).toEqual([422, 'amount_invalid']);
  });

  it('holds for captures and payment links too', async () => {
    const hold = await pay({ capture_method: 'manual' });
    const key = randomUUID();
    const capture = () =>
      support.post(at(`/payments/${hold}/capture`), { amount: 4990 }, { idempotencyKey: key });
    const waits = await capture();
    expect([waits.status, waits.body.action]).toEqual([202, 'capture']);
    expect((await shop.get(`/api/v1/payments/${hold}`)).body.status).toBe('authorized');
    expect((await approve(owner, waits.body.id)).body).toMatchObject({ result: hold, failure: null });
    expect((await capture()).body).toMatchObject({ object: 'payment', status: 'succeeded' });

    const link = { title: 'Course', currency: 'EUR', amount: 1001 };
    const linkKey = randomUUID();
    const make = (body: object = link, idempotencyKey: string = randomUUID()) =>
      support.post(at('/payment_links'), body, { idempotencyKey });
    const asked = await make(link, linkKey);
    expect([asked.status, asked.body.action]).toEqual([202, 'payment_link']);
    expect((await make({ ...link, amount: 1000 })).status).toBe(201);
    expect((await approve(owner, asked.body.id)).status).toBe(200);
    const made = await make(link, linkKey);
    expect([made.status, made.body]).toMatchObject([201, { object: 'payment_link', amount: 1001 }]);
    const turn = (by: Browser, status: string) =>
      by.call('PATCH', at(`/payment_links/${made.body.id}`), { body: { status } });
    expect((await turn(support, 'inactive')).body.link.status).toBe('inactive');
    expect(codeOf(await turn(support, 'active'))).toEqual([403, 'forbidden']);
    expect((await turn(admin, 'active')).body.link.status).toBe('active');
  });
});

describe('who approves', () => {
  it('is neither who asked, nor somebody whose own role would have to ask', async () => {
    const payment = await pay();
    const waits = await refund(admin, payment, { amount: 3001 });
    expect(waits.status, waits.text).toBe(202);
    expect(codeOf(await approve(admin, waits.body.id))).toEqual([403, 'forbidden']);
    const colleague = await Browser.of(shop, 'admin');
    expect(codeOf(await approve(colleague, waits.body.id))).toEqual([403, 'forbidden']);
    expect(codeOf(await approve(support, waits.body.id))).toEqual([403, 'forbidden']);
    expect(await refundsOf(payment)).toEqual([]);
    expect((await approve(owner, waits.body.id)).body.status).toBe('approved');
    // The person who made a request may withdraw it.
    const again = await refund(admin, await pay(), { amount: 3001 });
    const refused = await admin.post(at(`/approvals/${again.body.id}/refuse`), {});
    expect(refused.body.status).toBe('refused');
  });

  it('sees nothing of another account', async () => {
    const waits = await refund(support, await pay(), { amount: 2000 });
    const other = await Merchant.open();
    const stranger = await Browser.of(other, 'owner');
    const foreign = await stranger.post(`/accounts/${other.id}/approvals/${waits.body.id}/approve`, {});
    expect(codeOf(foreign)).toEqual([404, 'not_found']);
    expectError(await other.get(`/api/v1/approvals/${waits.body.id}`), 'not_found');
  });
});

it('is set by owners alone, read by every role, logged, and 404 for another account', async () => {
  const path = at('/settings/role_approvals');
  const kept = (await owner.get(path)).body;
  expect(kept).toEqual({ admin: 3000, support: 1000, developer: null });
  const stranger = await Browser.of(await Merchant.open(), 'owner');
  for (const role of ['admin', 'developer', 'support', 'viewer']) {
    const browser = await Browser.of(shop, role);
    expect((await browser.get(path)).body, role).toEqual(kept);
    expect((await set({}, browser)).status, role).toBe(403);
  }
  expect(codeOf(await stranger.get(path))).toEqual([404, 'not_found']);
  expect(codeOf(await set({}, stranger))).toEqual([404, 'not_found']);
  for (const [body, param] of [
    [{ support: -1 }, 'support'],
    [{ admin: '5' }, 'admin'],
  ] as const) {
    expect((await set(body)).body.error.param).toBe(param);
  }
  const developer = await owner.call('PATCH', path, { body: { developer: 0 } });
  expect(developer.body).toEqual({ ...kept, developer: 0 });
  const log = (await owner.get(at('/audit_log?action=role_approvals.changed'))).body.data;
  expect(log[0]).toMatchObject({ object_id: shop.id, before: kept, after: { ...kept, developer: 0 } });
});

it('an admin who takes another role waits as before', async () => {
  const other = await Merchant.open('processor_b');
  const [boss, self] = [await Browser.of(other, 'owner'), await Browser.of(other, 'admin')];
  const below = (rest: string) => `/accounts/${other.id}${rest}`;
  const body = { admin: 0, support: null, developer: null };
  expect((await boss.call('PATCH', below('/settings/role_approvals'), { body })).status).toBe(200);
  const { members } = (await self.get(below('/team'))).body;
  const { user_id: me } = members.find(({ role }: { role: string }) => role === 'admin');
  expect((await self.call('PATCH', below(`/team/${me}`), { body: { role: 'support' } })).status).toBe(200);
  const payment = (await other.pay({ amount: 4990 })).body.id;
  const idempotencyKey = randomUUID();
  const waits = await self.post(below(`/payments/${payment}/refunds`), { amount: 4990 }, { idempotencyKey });
  expect(waits.status).toBe(202);
});
