import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../../support/dashboard.ts';
import { freshEmail, Merchant, type Reply } from '../../support/merchant.ts';
import { until } from '../../support/until.ts';

const roles = ['owner', 'admin', 'developer', 'support', 'viewer'] as const;
type Role = (typeof roles)[number];

let shop: Merchant;
let staff: Record<Role, Browser>;

beforeAll(async () => {
  shop = await Merchant.open('processor_b');
  const browsers: [Role, Browser][] = [];
  // Sequentially: many concurrent sign-ins from one address would look like guessing.
  for (const role of roles) browsers.push([role, await Browser.of(shop, role)]);
  staff = Object.fromEntries(browsers) as Record<Role, Browser>;
});

const path = (rest: string, account = shop.id) => `/accounts/${account}${rest}`;
const codeOf = (reply: Reply) => [reply.status, reply.body?.error?.code];
const pay = async (changes: Record<string, unknown> = {}) => (await shop.pay(changes)).body;
const hold = (changes: Record<string, unknown> = {}) => pay({ capture_method: 'manual', ...changes });
const send = (who: Browser, rest: string, body: object, key = randomUUID()) =>
  who.post(path(rest), body, { idempotencyKey: key });
const detailOf = async (id: string, who = staff.viewer) => (await who.get(path(`/payments/${id}`))).body;

const none = 'pay_000000000000000000000000';
/** Operations that move money or remove something, each called for an object that does not exist. */
const moving: readonly (readonly [method: string, rest: string, body?: object])[] = [
  ['POST', `/payments/${none}/capture`, { amount: 1 }],
  ['POST', `/payments/${none}/void`, { amount: 1 }],
  ['POST', `/payments/${none}/refunds`, { amount: 1 }],
  ['DELETE', '/customers/cus_000000000000000000000000/payment_methods/pm_000000000000000000000000'],
];
const viewing = [
  '/payments',
  '/payments/export',
  `/payments/${none}`,
  '/refunds',
  '/refunds/re_000000000000000000000000',
  '/customers',
  '/customers/cus_000000000000000000000000',
  '/saved_views',
];

const ask = (who: Browser, [method, rest, body]: (typeof moving)[number], account?: string) =>
  who.call(method, path(rest, account), {
    idempotencyKey: randomUUID(),
    ...(body === undefined ? {} : { body }),
  });

describe('roles', () => {
  it.each(roles)('%s sees payments, refunds and customers', async (role) => {
    for (const rest of viewing) {
      expect([200, 404], rest).toContain((await staff[role].get(path(rest))).status);
    }
  });

  it.each(['owner', 'admin', 'developer', 'support'] as const)(
    '%s may move money in the sandbox',
    async (role) => {
      for (const operation of moving) {
        expect(codeOf(await ask(staff[role], operation)), operation[1]).toEqual([404, 'not_found']);
      }
    },
  );

  it('viewer may not move money, whatever they send', async () => {
    const payment = await pay();
    for (const operation of moving) {
      expect(codeOf(await ask(staff.viewer, operation)), operation[1]).toEqual([403, 'forbidden']);
    }
    const refused = await send(staff.viewer, `/payments/${payment.id}/refunds`, { amount: 1 });
    expect(codeOf(refused)).toEqual([403, 'forbidden']);
    expect((await shop.get(`/api/v1/payments/${payment.id}/refunds`)).body.total_count).toBe(0);
    const { actions } = await detailOf(payment.id);
    expect(actions.refund).toMatchObject({ allowed: false, reason: expect.stringContaining('viewer') });
  });

  it('developer may not move live money; support may', async () => {
    const live = await Merchant.open('processor_b', '--environment', 'live');
    const developer = await Browser.of(live, 'developer');
    const support = await Browser.of(live, 'support');
    for (const operation of moving) {
      expect(codeOf(await ask(developer, operation, live.id)), operation[1]).toEqual([403, 'forbidden']);
      const allowed = codeOf(await ask(support, operation, live.id));
      // A capture is refused because the account is not activated, before the payment is looked up.
      expect(
        [
          [404, 'not_found'],
          [422, 'processing_not_enabled'],
        ],
        operation[1],
      ).toContainEqual(allowed);
    }
  });

  it('404 for another account, 401 without a session', async () => {
    const stranger = await Browser.of(await Merchant.open('processor_b'), 'owner');
    for (const rest of viewing) {
      expect(codeOf(await stranger.get(path(rest))), rest).toEqual([404, 'not_found']);
      expect((await new Browser().get(path(rest))).status, rest).toBe(401);
    }
    for (const operation of moving) {
      expect(codeOf(await ask(stranger, operation)), operation[1]).toEqual([404, 'not_found']);
    }
  });

  it('a request of another site is refused', async () => {
    const payment = await pay();
    const options = { body: { amount: 4990 }, idempotencyKey: randomUUID() };
    const rest = path(`/payments/${payment.id}/refunds`);
    const foreign = await staff.owner.call('POST', rest, { ...options, origin: 'https://evil.example' });
    expect(codeOf(foreign)).toEqual([403, 'csrf_failed']);
    expect(codeOf(await staff.owner.call('POST', rest, { ...options, csrf: null }))).toEqual([
      403,
      'csrf_failed',
    ]);
    expect((await detailOf(payment.id)).money.remaining).toBe(4990);
  });
});

describe('a refund from the dashboard', () => {
  it('runs once per key and names the member', async () => {
    const payment = await pay();
    const rest = `/payments/${payment.id}/refunds`;
    const key = randomUUID();
    const body = { amount: 1990, reason: 'requested_by_customer', note: 'Came late' };
    const answers = await Promise.all([1, 2, 3].map(() => send(staff.support, rest, body, key)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 201, body: { amount: 1990, note: 'Came late' } });
    const refundId = answers[0]?.body.id;
    const detail = await until('refund settled', async () => {
      const found = await detailOf(payment.id);
      return found.money.refund_pending === 0 && found;
    });
    const sums = { captured: 4990, refunded: 1990, refund_pending: 0, remaining: 3000 };
    expect(detail.money).toMatchObject(sums);
    const steps = detail.timeline.filter(({ object }: { object: string }) => object === refundId);
    expect(steps.map(({ kind }: { kind: string }) => kind)).toEqual(['refund.created', 'refund.succeeded']);
    expect(steps[0].by).toMatch(/@shop\.example$/);
    const log = await staff.owner.get(path(`/audit_log?action=payment.refunded&object=${payment.id}`));
    expect(log.body.data).toMatchObject([
      { after: { refund: refundId, amount: 1990, currency: 'EUR' }, object_id: payment.id },
    ]);
    const { refunds } = await shop.ledger();
    expect(refunds.filter(({ payment_reference: of }) => of === payment.id)).toHaveLength(1);
  });

  it.each([0, 4991, 1.5, '100', null])('of %s is refused', async (amount) => {
    const payment = await pay();
    const reply = await send(staff.support, `/payments/${payment.id}/refunds`, { amount });
    expect(reply.status).toBe(422);
    expect((await detailOf(payment.id)).money.remaining).toBe(4990);
  });

  it('needs a key; 409 for another request with it', async () => {
    const payment = await pay();
    const rest = path(`/payments/${payment.id}/refunds`);
    expect(codeOf(await staff.support.post(rest, { amount: 1 }))).toEqual([400, 'missing_idempotency_key']);
    const key = randomUUID();
    await send(staff.support, `/payments/${payment.id}/refunds`, { amount: 1 }, key);
    const other = await send(staff.support, `/payments/${payment.id}/refunds`, { amount: 2 }, key);
    expect(codeOf(other)).toEqual([409, 'key_reused']);
  });
});

describe('a hold in the dashboard', () => {
  it('is captured once; 409 conflict with another amount', async () => {
    const payment = await hold();
    const rest = `/payments/${payment.id}/capture`;
    const before = await detailOf(payment.id, staff.support);
    expect(before.actions).toMatchObject({ capture: { allowed: true }, void: { allowed: true } });
    expect(codeOf(await send(staff.support, rest, { amount: 1 }))).toEqual([409, 'conflict']);
    const key = randomUUID();
    const [first, second] = await Promise.all([
      send(staff.support, rest, { amount: 4990 }, key),
      send(staff.support, rest, { amount: 4990 }, key),
    ]);
    expect([first?.body.status, second?.text]).toEqual(['succeeded', first?.text]);
    const after = await detailOf(payment.id, staff.support);
    expect(after.money.captured).toBe(4990);
    expect(after.actions.capture).toEqual({ allowed: false, reason: 'It is captured already.' });
    const captured = after.timeline.find(({ kind }: { kind: string }) => kind === 'payment.succeeded');
    expect(captured.by).toMatch(/@shop\.example$/);
  });

  it('is released also after its expiry, when it can no longer be captured', async () => {
    const merchant = await Merchant.open('processor_b');
    const owner = await Browser.of(merchant, 'owner');
    const { body: payment } = await merchant.pay({ capture_method: 'manual' });
    await merchant.post('/api/v1/test_helpers/clock/advance', { seconds: 30 * 86_400 });
    const rest = `/accounts/${merchant.id}/payments/${payment.id}`;
    const { actions } = (await owner.get(rest)).body;
    expect(actions.capture).toMatchObject({
      allowed: false,
      reason: expect.stringContaining('The hold ended'),
    });
    const options = { idempotencyKey: randomUUID() };
    expect((await owner.post(`${rest}/capture`, { amount: 4990 }, options)).status).toBe(422);
    const released = await owner.post(`${rest}/void`, { amount: 4990 }, { idempotencyKey: randomUUID() });
    expect(released).toMatchObject({ status: 200, body: { status: 'voided' } });
  });
});

describe('one payment', () => {
  it('shows its order, its customer, the risk data and the ids of the processor, but no card number', async () => {
    const customer = (await shop.post('/api/v1/customers', { email: freshEmail(), name: 'Ada' })).body;
    const payment = await pay({
      customer: customer.id,
      shopper_ip: '203.0.113.9',
      line_items: [{ name: 'Jacket', unit_amount: 4490, quantity: 1 }],
      shipping_amount: 500,
      billing_address: { line1: 'Main St 1', city: 'Springfield', state: 'IL', country: 'US' },
    });
    const reply = await staff.viewer.get(path(`/payments/${payment.id}`));
    expect(reply.body).toMatchObject({
      payment: { id: payment.id, status: 'succeeded' },
      customer: { id: customer.id },
      saved_method: { id: payment.payment_method_id, last4: '1111' },
      order: { line_items: [{ name: 'Jacket', unit_amount: 4490 }], shipping_amount: 500 },
      risk: { shopper_ip: '203.0.113.9', billing_address: { city: 'Springfield' }, delivery_address: null },
      processing: { processor: 'processor_b', in_doubt: null },
    });
    expect(Object.keys(reply.body.processing.upstream)).toContain('capture');
    expect(reply.text).not.toContain('4111111111111111');
    expect(reply.text).not.toContain('"cvc":"737"');
  });

  it('shows the steps of 3-D Secure in order', async () => {
    const merchant = await Merchant.open('processor_a');
    const owner = await Browser.of(merchant, 'owner');
    const { body: payment } = await merchant.pay({ card: { number: '4917610000000000' } });
    const rest = `/accounts/${merchant.id}/payments/${payment.id}`;
    const kinds = async () => (await owner.get(rest)).body.timeline.map(({ kind }: { kind: string }) => kind);
    const begun = ['payment.created', 'payment.requires_action'];
    expect(await kinds()).toEqual(begun);
    await merchant.post(`/api/v1/test_helpers/payments/${payment.id}/approve`, {});
    expect(await kinds()).toEqual([...begun, 'buyer.returned']);
    await merchant.post(`/api/v1/payments/${payment.id}/confirm`);
    const after = ['buyer.returned', 'authentication.reported', 'payment.succeeded'];
    expect(await kinds()).toEqual([...begun, ...after]);
  });

  it('that failed has no action and gives the reason', async () => {
    const payment = await pay({ card: { holder_name: 'CCREJECT-REFUSED' } });
    const { actions, timeline } = await detailOf(payment.id, staff.owner);
    expect(actions.refund).toEqual({ allowed: false, reason: 'The payment failed. No money was taken.' });
    expect(timeline.map(({ kind }: { kind: string }) => kind)).toEqual(['payment.created', 'payment.failed']);
  });
});

describe('a saved method', () => {
  it('is removed by support, and only from its own customer', async () => {
    const customer = (await shop.post('/api/v1/customers', { email: freshEmail() })).body;
    const other = (await shop.post('/api/v1/customers', { email: freshEmail() })).body;
    const { payment_method_id: method } = await pay({ customer: customer.id, save_payment_method: true });
    const place = (of: string) => path(`/customers/${of}/payment_methods/${method}`);
    expect(codeOf(await staff.support.delete(place(other.id)))).toEqual([404, 'not_found']);
    expect((await staff.support.delete(place(customer.id))).body).toMatchObject({
      id: method,
      deleted: true,
    });
    expect((await staff.viewer.get(path(`/customers/${customer.id}`))).body.payment_methods).toEqual([]);
    expect((await shop.get(`/api/v1/payment_methods/${method}`)).status).toBe(404);
    const log = await staff.owner.get(path('/audit_log?action=payment_method.removed'));
    expect(log.body.data).toMatchObject([{ object_id: method, before: { customer: customer.id } }]);
  });
});

describe('lists', () => {
  it('find a payment by id, reference, email, name or last four digits, and export the same rows', async () => {
    const merchant = await Merchant.open('processor_b');
    const owner = await Browser.of(merchant, 'owner');
    const email = freshEmail();
    const { body: payment } = await merchant.pay({
      reference: 'Order-77',
      customer: { email, name: '=HYPERLINK("x")', metadata: { crm: 'C-1' } },
    });
    await merchant.pay({ reference: 'Order-78' });
    const list = async (q: string) => {
      const { body } = await owner.get(`/accounts/${merchant.id}/payments?q=${encodeURIComponent(q)}`);
      return body.data.map((item: { payment: { id: string } }) => item.payment.id);
    };
    for (const words of [payment.id, 'order-77', email.slice(0, 9), '=HYPER', 'c-1']) {
      expect(await list(words), words).toEqual([payment.id]);
    }
    expect(await list('1111')).toHaveLength(2);
    const file = await owner.get(`/accounts/${merchant.id}/payments/export?q=order-77`);
    const [titles, row, ...rest] = file.text.trim().split('\r\n');
    expect(titles).toContain('amount,amount_minor,currency');
    expect(row).toContain(`${payment.id},`);
    expect(row).toContain('49.90,4990,EUR');
    expect(row).toContain(`"'=HYPERLINK(""x"")"`);
    expect(row).toContain(',UTC,"q=order-77"');
    expect(rest).toEqual([]);
  });
});
