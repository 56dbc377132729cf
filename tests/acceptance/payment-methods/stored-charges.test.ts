import { beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../../support/expect-error.ts';
import { freshEmail, Merchant, till } from '../../support/merchant.ts';

const processors = ['processor_a', 'processor_b'] as const;
const urls = { success_url: 'https://shop.example/ok', failure_url: 'https://shop.example/no' };

interface Saved {
  readonly customer: string;
  readonly method: string;
  readonly payment: string;
}

async function save(shop: Merchant, changes: Record<string, unknown> = {}): Promise<Saved> {
  const { body } = await shop.pay({
    customer: { email: freshEmail() },
    save_payment_method: true,
    ...changes,
  });
  return { customer: body.customer, method: body.payment_method_id, payment: body.id };
}

const charge = (shop: Merchant, saved: Pick<Saved, 'customer' | 'method'>, changes: object = {}) =>
  shop.post('/api/v1/payments', {
    amount: 1500,
    currency: 'EUR',
    customer: saved.customer,
    stored_payment_method: saved.method,
    ...changes,
  });
const rebill = (shop: Merchant, saved: Pick<Saved, 'customer' | 'method'>, changes: object = {}) =>
  charge(shop, saved, { merchant_initiated: true, ...changes });

describe.each(processors)('charging a saved card on %s', (processor) => {
  let shop: Merchant;
  let saved: Saved;
  beforeAll(async () => {
    shop = await Merchant.open(processor);
    saved = await save(shop, { recurring_processing_model: 'subscription' });
  });

  it('off-session needs no addresses to return to and meets no challenge', async () => {
    const reply = await rebill(shop, saved);
    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({
      status: 'succeeded',
      customer: saved.customer,
      payment_method: { type: 'card', brand: 'visa', last4: '1111', exp_month: 3, exp_year: 2032 },
      payment_method_id: saved.method,
      renews_payment: null,
    });
    expect((await shop.ledger()).charges.filter((one) => one.reference === reply.body.id)).toEqual([
      { reference: reply.body.id, amount: 1500, currency: 'EUR', status: 'captured' },
    ]);
  });

  it('links a rebill to the payment that it renews', async () => {
    const reply = await rebill(shop, saved, { renews_payment: saved.payment });
    expect(reply.body).toMatchObject({ status: 'succeeded', renews_payment: saved.payment });
  });

  it('on-session works as well', async () => {
    expect((await charge(shop, saved, urls)).body).toMatchObject({
      status: 'succeeded',
      payment_method_id: saved.method,
    });
  });

  it('charges the newest saved card with use_last_payment_method', async () => {
    const newest = await save(shop, { customer: saved.customer, card: { number: '5555555555554444' } });
    const reply = await shop.post('/api/v1/payments', {
      amount: 700,
      currency: 'EUR',
      customer: saved.customer,
      use_last_payment_method: true,
      ...urls,
    });
    expect(reply.body).toMatchObject({
      status: 'succeeded',
      payment_method_id: newest.method,
      payment_method: { brand: 'mastercard', last4: '4444' },
    });
  });

  it('declines a rebill that the issuer refuses, with its code', async () => {
    const refused = await save(shop, { card: { holder_name: 'SIM-MIT-DECLINE' } });
    const reply = await rebill(shop, refused);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ status: 'failed', failure: { code: 'insufficient_funds' } });
    const methods = await shop.get(`/api/v1/customers/${refused.customer}/payment_methods`);
    expect(methods.body.data).toMatchObject([{ id: refused.method, status: 'active' }]);
  });

  it('retires a card that its holder revoked', async () => {
    const revoked = await save(shop, { card: { holder_name: 'SIM-MIT-REVOKED' } });
    expect((await rebill(shop, revoked)).body).toMatchObject({
      status: 'failed',
      failure: { code: 'refused' },
    });
    expect((await shop.get(`/api/v1/payment_methods/${revoked.method}`)).body.status).toBe('expired');
    expectError(await rebill(shop, revoked), 'invalid_params', 'stored_payment_method');
    expectError(
      await shop.post('/api/v1/payments', {
        amount: 700,
        currency: 'EUR',
        customer: revoked.customer,
        use_last_payment_method: true,
        ...urls,
      }),
      'invalid_params',
      'use_last_payment_method',
    );
  });

  it('declines an expired card and skips it as the newest one', async () => {
    const other = await Merchant.open(processor);
    const lasting = await save(other, { card: { exp_year: 2039 } });
    const expiring = await save(other, { customer: lasting.customer, card: { number: '5555555555554444' } });
    await till('clock', 'advance', '--account', other.id, '--seconds', String(6 * 365 * 86_400));
    const { body } = await other.get(`/api/v1/payment_methods/${expiring.method}`);
    expect(body.status).toBe('expired');
    expect((await rebill(other, expiring)).body).toMatchObject({
      status: 'failed',
      failure: { code: 'expired_card' },
    });
    const reply = await other.post('/api/v1/payments', {
      amount: 700,
      currency: 'EUR',
      customer: lasting.customer,
      use_last_payment_method: true,
      ...urls,
    });
    expect(reply.body.payment_method_id).toBe(lasting.method);
  });

  it('refuses methods of others, removed ones, and ones of another account or mode', async () => {
    const stranger = await save(shop);
    const elsewhere = await save(await Merchant.open(processor));
    const removed = await save(shop);
    expect((await shop.call('DELETE', `/api/v1/payment_methods/${removed.method}`)).status).toBe(200);
    const live = await Merchant.open(processor, '--environment', 'live');
    await till('accounts', 'update', live.id, '--activation', 'active');
    const inLive = await save(live);
    await till('accounts', 'update', live.id, '--environment', 'sandbox');
    const { secret_key: testKey } = await till<{ secret_key: string }>(
      'keys',
      'create',
      '--account',
      live.id,
    );
    const sandbox = new Merchant(live.id, testKey);
    const own = await save(sandbox);
    for (const [from, customer, method] of [
      [shop, saved.customer, stranger.method],
      [shop, saved.customer, elsewhere.method],
      [shop, removed.customer, removed.method],
      [sandbox, own.customer, inLive.method],
      [shop, saved.customer, 'pm_nothing'],
    ] as const) {
      const reply = await rebill(from, { customer, method });
      expectError(reply, 'invalid_params', 'stored_payment_method');
      expect(reply.body.error.message).toMatch(/not found/);
    }
  });

  it('refuses a renewal of nothing, of another customer, and without a saved method', async () => {
    const stranger = await save(shop);
    const missing = await rebill(shop, saved, { renews_payment: 'pay_000000000000000000000000' });
    expectError(missing, 'invalid_params', 'renews_payment');
    expect(missing.body.error.message).toMatch(/not found/);
    const foreign = await rebill(shop, saved, { renews_payment: stranger.payment });
    expectError(foreign, 'invalid_params', 'renews_payment');
    expect(foreign.body.error.message).toMatch(/same customer/);
    const plain = await shop.pay({ customer: saved.customer, renews_payment: saved.payment });
    expectError(plain, 'invalid_params', 'renews_payment');
    expect(plain.body.error.message).toMatch(/charging a stored method is required/);
  });

  it('needs both addresses on-session where 3-D Secure applies', async () => {
    const strict = await Merchant.open(processor, '--three-d-secure', 'enabled');
    const own = await save(strict);
    expectError(await charge(strict, own), 'invalid_params', 'success_url');
    expect((await rebill(strict, own)).status).toBe(201);
  });

  it('replays under its key and charges once', async () => {
    const options = { idempotencyKey: 'rebill-once' };
    const body = {
      amount: 1234,
      currency: 'EUR',
      customer: saved.customer,
      stored_payment_method: saved.method,
      merchant_initiated: true,
    };
    const first = await shop.post('/api/v1/payments', body, options);
    const second = await shop.post('/api/v1/payments', body, options);
    expect(second.text).toBe(first.text);
    const { charges } = await shop.ledger();
    expect(charges.filter((one) => one.amount === 1234)).toHaveLength(1);
  });
});

describe('an on-session charge of a card that meets challenges', () => {
  it.each([
    ['processor_a', '4212345678910006', 'processor_a_redirect'],
    ['processor_b', '4868719166101368', 'processor_b_payer_action'],
  ] as const)('is challenged on %s, and off-session never', async (processor, number, action) => {
    const shop = await Merchant.open(processor, '--three-d-secure', 'enabled');
    const first = (
      await shop.pay({ customer: { email: freshEmail() }, save_payment_method: true, card: { number } })
    ).body;
    await shop.post(`/api/v1/test_helpers/payments/${first.id}/approve`, {});
    const paid = (await shop.post(`/api/v1/payments/${first.id}/confirm`)).body;
    const saved = { customer: paid.customer, method: paid.payment_method_id };
    const challenged = await charge(shop, saved, { ...urls, authentication: 'always' });
    expect(challenged.body).toMatchObject({ status: 'requires_action', next_action: { type: action } });
    await shop.post(`/api/v1/test_helpers/payments/${challenged.body.id}/approve`, {});
    const confirmed = await shop.post(`/api/v1/payments/${challenged.body.id}/confirm`);
    expect(confirmed.body).toMatchObject({ status: 'succeeded', payment_method_id: saved.method });
    expect((await rebill(shop, saved)).body).toMatchObject({ status: 'succeeded' });
  });
});

describe('a saved wallet', () => {
  it('is charged without approval, and a wallet is never the newest card', async () => {
    const shop = await Merchant.open('processor_b');
    const customer = (await shop.post('/api/v1/customers', { email: freshEmail() })).body.id;
    const payment = (
      await shop.post('/api/v1/payments', {
        amount: 2500,
        currency: 'EUR',
        payment_method: { type: 'processor_b' },
        customer,
        recurring_processing_model: 'subscription',
        ...urls,
      })
    ).body;
    await shop.post(`/api/v1/test_helpers/payments/${payment.id}/approve`, {});
    const paid = (await shop.post(`/api/v1/payments/${payment.id}/confirm`)).body;
    const saved = { customer, method: paid.payment_method_id };
    expect((await rebill(shop, saved)).body).toMatchObject({
      status: 'succeeded',
      payment_method: { type: 'processor_b', brand: null, last4: null },
      payment_method_id: saved.method,
    });
    expectError(
      await shop.post('/api/v1/payments', {
        amount: 700,
        currency: 'EUR',
        customer,
        use_last_payment_method: true,
        ...urls,
      }),
      'invalid_params',
      'use_last_payment_method',
    );
  });
});
