import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../../support/expect-error.ts';
import { freshEmail, Merchant, till } from '../../support/merchant.ts';

const path = '/api/v1/client_tokens';
let shop: Merchant;

beforeAll(async () => {
  shop = await Merchant.open('processor_b');
});

const newCustomer = async (merchant: Merchant): Promise<string> =>
  (await merchant.post('/api/v1/customers', { email: freshEmail() })).body.id;

describe('a client token', () => {
  it('is made for 15 minutes, with the processor’s public id of the account', async () => {
    const reply = await shop.post(path, {});
    expect(reply.status).toBe(201);
    expect(reply.body).toEqual({
      object: 'client_token',
      client_token: expect.stringMatching(/\S/),
      client_id: expect.stringMatching(/\S/),
      provider: 'processor_b',
      customer: null,
      created: expect.any(Number),
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
    expect(Date.parse(reply.body.expires_at) / 1000 - reply.body.created).toBe(900);
  });

  it('needs no body, and takes null as absent', async () => {
    expect((await shop.post(path)).status).toBe(201);
    const reply = await shop.post(path, { customer: null, domains: null });
    expect(reply).toMatchObject({ status: 201, body: { customer: null } });
  });

  it('is made for a customer and for sites', async () => {
    const customer = await newCustomer(shop);
    const domains = [
      'shop.example',
      'https://www.shop.example',
      'https://shop.example:8443',
      'localhost:3000',
    ];
    const reply = await shop.post(path, { customer, domains });
    expect(reply.status).toBe(201);
    expect(reply.body.customer).toBe(customer);
  });

  it('is made for a customer who has saved something', async () => {
    const customer = await newCustomer(shop);
    const paid = await shop.pay({ customer, save_payment_method: true });
    expect(paid.body.payment_method_id).toMatch(/^pm_/);
    expect((await shop.post(path, { customer })).status).toBe(201);
  });

  it('follows the clock of a sandbox account', async () => {
    const merchant = await Merchant.open('processor_b');
    await till('clock', 'advance', '--account', merchant.id, '--seconds', '86400');
    const { body } = await merchant.post(path, {});
    const ahead = Date.parse(body.expires_at) - Date.now();
    expect(ahead).toBeGreaterThan(86_400_000);
    expect(ahead).toBeLessThan(86_400_000 + 1_200_000);
  });

  it('ignores Idempotency-Key: every request creates one', async () => {
    const idempotencyKey = randomUUID();
    expect((await shop.post(path, {}, { idempotencyKey })).status).toBe(201);
    const second = await shop.post(path, { domains: ['shop.example'] }, { idempotencyKey });
    expect(second.status).toBe(201);
    expect(second.headers.get('idempotent-replayed')).toBeNull();
    expect((await shop.post(path, {}, { idempotencyKey: null })).status).toBe(201);
  });
});

describe('a client token is refused', () => {
  it('without a connected processor_b', async () => {
    const cards = await Merchant.open('processor_a');
    expectError(await cards.post(path, {}), 'no_provider_connection');
    const merchant = await Merchant.open('processor_b');
    await till('accounts', 'update', merchant.id, '--connection', 'disconnected');
    expectError(await merchant.post(path, {}), 'no_provider_connection');
    await till('accounts', 'update', merchant.id, '--connection', 'connected');
    expect((await merchant.post(path, {})).status).toBe(201);
  });

  it('for a customer who is not the account’s', async () => {
    const theirs = await newCustomer(await Merchant.open('processor_b'));
    for (const customer of [theirs, 'cus_000000000000000000000000', 'x', ''])
      expectError(await shop.post(path, { customer }), 'customer_not_found');
  });

  it.each([
    ['customer', 5, 'customer'],
    ['customer', { email: 'a@shop.example' }, 'customer'],
    ['customer', `a\u0000`, 'customer'],
    ['domains', 'shop.example', 'domains'],
    ['domains', Array.from({ length: 11 }, (_none, n) => `s${n}.example`), 'domains'],
    ['domains', [5], 'domains[0]'],
    ['domains', [''], 'domains[0]'],
    ['domains', ['http://shop.example'], 'domains[0]'],
    ['domains', ['https://shop.example/pay'], 'domains[0]'],
    ['domains', ['https://user@shop.example'], 'domains[0]'],
    ['domains', ['shop.example', '*.shop.example'], 'domains[1]'],
    ['domains', ['shop example'], 'domains[0]'],
    ['domains', ['-shop.example'], 'domains[0]'],
    ['domains', [`${'a'.repeat(64)}.example`], 'domains[0]'],
    ['domains', [`${'a.'.repeat(200)}example`], 'domains[0]'],
  ])('for a wrong %s: %j', async (field, value, param) => {
    expectError(await shop.post(path, { [field]: value }), 'invalid_params', param);
  });

  it('for a body that is no JSON object', async () => {
    for (const raw of ['{', '[]', '"x"'])
      expectError(await shop.call('POST', path, { raw }), 'missing_field');
  });

  it('without an API key', async () => {
    expectError(await shop.call('POST', path, { body: {}, key: null }), 'missing_api_key');
  });
});
