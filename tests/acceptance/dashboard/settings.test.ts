import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../../support/dashboard.ts';
import { freshEmail, Merchant, type Reply, till } from '../../support/merchant.ts';

const codeOf = (reply: Reply) => [reply.status, reply.body?.error?.code];
const at = (shop: Merchant, rest: string) => `/accounts/${shop.id}${rest}`;
const day = 86_400;

const simulate = (browser: Browser, shop: Merchant, body: object, idempotencyKey: string = randomUUID()) =>
  browser.post(at(shop, '/sandbox/payments'), { amount: 4990, currency: 'EUR', ...body }, { idempotencyKey });

describe('a changed environment', () => {
  it('answers key_mode_mismatch for every earlier key, until it is changed back', async () => {
    const shop = await Merchant.open();
    await till('accounts', 'update', shop.id, '--activation', 'active');
    const owner = await Browser.of(shop, 'owner');
    expect((await shop.get('/api/v1/customers')).status).toBe(200);
    const { stopping_keys: keys } = (await owner.get(at(shop, '/environment'))).body;
    expect(keys).toHaveLength(1);
    const go = (environment: string, ids: string[]) =>
      owner.post(at(shop, '/environment'), { environment, name: 'Test shop', keys: ids });
    expect((await go('live', [keys[0].id])).body).toMatchObject({
      environment: 'live',
      connection: { live: 'simulated' },
    });
    expect(codeOf(await shop.get('/api/v1/customers'))).toEqual([401, 'key_mode_mismatch']);
    expect(codeOf(await owner.get(at(shop, '/sandbox')))).toEqual([404, 'not_found']);
    expect((await owner.get(at(shop, ''))).body.livemode).toBe(true);
    const back = (await owner.get(at(shop, '/environment'))).body;
    expect(back.returning_keys).toMatchObject([{ id: keys[0].id }]);
    expect((await go('sandbox', [])).status).toBe(200);
    expect((await shop.get('/api/v1/customers')).status).toBe(200);
  });
});

describe('the settings', () => {
  it('apply to the API at once', async () => {
    const shop = await Merchant.open();
    const owner = await Browser.of(shop, 'owner');
    const customer = { email: freshEmail() };
    expect((await shop.pay({ customer })).body.payment_method_id).toMatch(/^pm_/);
    const change = (page: string, body: object) =>
      owner.call('PATCH', at(shop, `/settings/${page}`), { body });
    expect((await change('payments', { store_payment_method_default: false })).status).toBe(200);
    expect((await shop.pay({ customer: { email: freshEmail() } })).body.payment_method_id).toBeNull();
    expect((await change('connection', { three_d_secure: 'off' })).status).toBe(200);
    expect((await shop.pay({ success_url: undefined, failure_url: undefined })).status).toBe(201);
    expect((await change('connection', { status: 'disconnected' })).status).toBe(200);
    expect(codeOf(await shop.pay())).toEqual([422, 'provider_not_configured']);
  });
});

describe.each(['processor_a', 'processor_b'] as const)('the sandbox tools on %s', (processor) => {
  let shop: Merchant;
  let developer: Browser;
  beforeAll(async () => {
    shop = await Merchant.open(processor);
    developer = await Browser.of(shop, 'developer');
  });

  it('make a payment with a trigger, once per key', async () => {
    const trigger = { field: 'payment_method.holder_name', value: 'CCREJECT-REFUSED' };
    const key = randomUUID();
    const declined = await simulate(developer, shop, { trigger }, key);
    expect(declined.body).toMatchObject({ status: 'failed', failure: { code: 'do_not_honor' } });
    const again = await simulate(developer, shop, { trigger }, key);
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([declined.text, 'true']);
    expect(codeOf(await simulate(developer, shop, { amount: 1, trigger }, key))).toEqual([409, 'key_reused']);
    const plain = await simulate(developer, shop, { customer_email: freshEmail() });
    expect(plain.body).toMatchObject({ status: 'succeeded', amount: 4990, livemode: false });
    expect((await shop.get(`/api/v1/payments/${plain.body.id}`)).body).toEqual(plain.body);
    const saved = await shop.get(`/api/v1/customers/${plain.body.customer}/payment_methods`);
    expect(saved.body.total_count).toBe(1);
  });

  it('refuse a trigger that is none, or of a refund', async () => {
    const refused = async (body: object) => (await simulate(developer, shop, body)).body.error;
    for (const trigger of [
      { field: 'payment_method.number', value: '4242424242424242' },
      { field: 'note', value: 'SIM-REFUND-PENDING' },
    ]) {
      expect(await refused({ trigger })).toMatchObject({ code: 'invalid_params', param: 'trigger' });
    }
    expect(await refused({ currency: 'XXX' })).toMatchObject({ param: 'currency' });
  });

  it('list every row of the table for this processor, and find some by words', async () => {
    const list = async (query: string) => (await developer.get(at(shop, `/sandbox/triggers?${query}`))).body;
    const { headers, body: all } = await developer.get(at(shop, '/sandbox/triggers?per_page=100'));
    expect(headers.get('content-encoding')).toBe('gzip');
    expect(all.total_count).toBeGreaterThan(100);
    expect(all.has_more).toBe(true);
    const found = await list('q=insufficient%20funds%20off-session');
    expect(found.data.map(({ value }: { value: string }) => value)).toContain('SIM-MIT-DECLINE');
    const [card] = (await list('q=4111%201111%201111%201111')).data;
    expect(card).toMatchObject({ value: '4111111111111111', failure_code: null, on_payment: true });
    const notes = await list('field=note');
    expect(notes.data.every(({ on_payment: takes }: { on_payment: boolean }) => !takes)).toBe(true);
    expect((await list('q=nothing-has-this-name')).total_count).toBe(0);
  });

  it('act as the buyer of a waiting payment, and as the bank of a refund', async () => {
    const body =
      processor === 'processor_b'
        ? { method: 'processor_b' }
        : { trigger: { field: 'payment_method.number', value: '4212345678910006' } };
    const made = (await simulate(developer, shop, body)).body;
    expect(made.status).toBe('requires_action');
    const state = (await developer.get(at(shop, '/sandbox'))).body;
    expect(state.waiting).toMatchObject([{ id: made.id, amount: 4990, currency: 'EUR' }]);
    const approve = () =>
      developer.post(at(shop, `/sandbox/payments/${made.id}/approve`), { outcome: 'approved' });
    const approved = (await approve()).body;
    // The payment is charged only when the merchant confirms it.
    expect(approved.status).toBe('requires_action');
    const confirmed = await developer.post(at(shop, `/sandbox/payments/${made.id}/confirm`), undefined, {
      idempotencyKey: randomUUID(),
    });
    expect(confirmed.body).toMatchObject({ id: made.id, status: 'succeeded' });
    expect(codeOf(await approve())).toEqual([422, 'invalid_params']);
    const refund = (await shop.post(`/api/v1/payments/${made.id}/refunds`, { note: 'SIM-REFUND-PENDING' }))
      .body;
    expect((await developer.get(at(shop, '/sandbox'))).body.refunds).toMatchObject([
      { id: refund.id, payment: made.id },
    ]);
    const settled = await developer.post(at(shop, `/sandbox/refunds/${refund.id}/settle`), {
      outcome: 'failed',
    });
    expect(settled.body).toMatchObject({ id: refund.id, status: 'failed' });
  });

  it('open a dispute and move it through its states', async () => {
    const payment = (await simulate(developer, shop, {})).body;
    const opened = await developer.post(at(shop, `/sandbox/payments/${payment.id}/disputes`), {
      state: 'information_request',
      amount: 1000,
      reason: 'duplicate',
    });
    expect(opened.body).toMatchObject({ payment: payment.id, amount: 1000, state: 'information_request' });
    const { id } = opened.body;
    const [listed] = (await developer.get(at(shop, '/sandbox'))).body.disputes;
    expect(listed).toMatchObject({ id, status: 'action_required' });
    const to = { state: 'chargeback', status: 'action_required' };
    expect(listed.next).toContainEqual(to);
    const move = (position: object) => developer.post(at(shop, `/sandbox/disputes/${id}/move`), position);
    expect((await move(to)).body).toMatchObject({ id, ...to });
    expect(codeOf(await move({ state: 'information_request', status: 'won' }))).toEqual([
      422,
      'invalid_params',
    ]);
  });
});

describe('the sandbox clock', () => {
  it('moves forward only, and reports what changed', async () => {
    const shop = await Merchant.open('processor_b');
    const developer = await Browser.of(shop, 'developer');
    const waiting = (await simulate(developer, shop, { method: 'processor_b' })).body;
    await simulate(developer, shop, { capture_method: 'manual' });
    const advance = (seconds: number) => developer.post(at(shop, '/sandbox/clock'), { seconds });
    const first = (await advance(16 * 60)).body;
    expect(first.events).toMatchObject([{ type: 'payment.failed', object_id: waiting.id }]);
    expect(first).toMatchObject({ holds_unguaranteed: 0, holds_expired: 0, has_more_events: false });
    expect((await advance(3 * day)).body).toMatchObject({ events: [], holds_unguaranteed: 1 });
    expect((await advance(29 * day)).body).toMatchObject({ holds_unguaranteed: 0, holds_expired: 1 });
    for (const seconds of [0, -5, 1.5, 400_000_000]) {
      expect(codeOf(await advance(seconds))).toEqual([422, 'invalid_params']);
    }
    const { ahead_seconds: ahead } = (await developer.get(at(shop, '/sandbox'))).body;
    expect(ahead).toBe(16 * 60 + 32 * day);
    const log = await developer.get(at(shop, '/audit_log?action=sandbox.clock_advanced'));
    expect(log.body.total_count).toBe(3);
  });
});

it('each role may do by raw request what the table of permissions says; another account gets 404', async () => {
  const [shop, other] = [await Merchant.open(), await Merchant.open()];
  const stranger = await Browser.of(other, 'owner');
  const requests = [
    ['GET', '/sandbox'],
    ['GET', '/sandbox/triggers'],
    ['POST', '/sandbox/clock', { seconds: 1 }],
    ['POST', '/sandbox/payments', { amount: 100, currency: 'EUR' }],
    ['POST', '/sandbox/payments/pay_x/approve', { outcome: 'approved' }],
    ['POST', '/sandbox/payments/pay_x/confirm'],
    ['POST', '/sandbox/payments/pay_x/disputes', {}],
    ['POST', '/sandbox/disputes/dsp_x/move', { state: 'chargeback', status: 'won' }],
    ['POST', '/sandbox/refunds/re_x/settle', { outcome: 'failed' }],
    ['GET', '/environment'],
    ['PATCH', '/settings/business', { name: 'Test shop' }],
  ] as const;
  for (const role of ['owner', 'admin', 'developer', 'support', 'viewer']) {
    const browser = await Browser.of(shop, role);
    for (const [method, path, body] of requests) {
      const managing = path === '/environment' || path.startsWith('/settings');
      const allowed = ['owner', 'admin', ...(managing ? [] : ['developer'])].includes(role);
      const options = { idempotencyKey: randomUUID(), ...(body === undefined ? {} : { body }) };
      const reply = await browser.call(method, at(shop, path), options);
      expect(reply.status === 403, `${role} ${path}: ${reply.text}`).toBe(!allowed);
      expect(codeOf(await stranger.call(method, at(shop, path), options))).toEqual([404, 'not_found']);
    }
  }
});
