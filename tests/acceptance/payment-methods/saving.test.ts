import { beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../../support/expect-error.ts';
import { freshEmail, Merchant, type Reply, till } from '../../support/merchant.ts';
import { until } from '../../support/until.ts';

const processors = ['processor_a', 'processor_b'] as const;
const savedId = /^pm_[a-z0-9]{24}$/;

const newCustomer = async (shop: Merchant): Promise<string> =>
  (await shop.post('/api/v1/customers', { email: freshEmail() })).body.id;
const methodsOf = async (shop: Merchant, customer: string) =>
  (await shop.get(`/api/v1/customers/${customer}/payment_methods`)).body.data;

const urls = { success_url: 'https://shop.example/ok', failure_url: 'https://shop.example/no' };
const wallet = (changes: Record<string, unknown> = {}) => ({
  payment_method: { type: 'processor_b' },
  amount: 2500,
  currency: 'EUR',
  ...urls,
  ...changes,
});

async function approveAndConfirm(shop: Merchant, payment: { id: string }): Promise<Reply> {
  await shop.post(`/api/v1/test_helpers/payments/${payment.id}/approve`, {});
  return shop.post(`/api/v1/payments/${payment.id}/confirm`);
}

describe.each(processors)('saving a card on %s', (processor) => {
  let shop: Merchant;
  beforeAll(async () => {
    shop = await Merchant.open(processor);
  });

  it('happens by default with a customer, and the id is on the payment and in the list', async () => {
    const customer = await newCustomer(shop);
    const paid = await shop.pay({ customer });
    expect(paid.status).toBe(201);
    expect(paid.body.payment_method_id).toMatch(savedId);
    expect((await shop.get(`/api/v1/payments/${paid.body.id}`)).body.payment_method_id).toBe(
      paid.body.payment_method_id,
    );
    expect(await methodsOf(shop, customer)).toEqual([
      {
        id: paid.body.payment_method_id,
        object: 'payment_method',
        type: 'card',
        customer,
        brand: 'visa',
        last4: '1111',
        bin: '411111',
        exp_month: 3,
        exp_year: 2032,
        recurring_processing_model: 'card_on_file',
        provider: processor,
        status: 'active',
        livemode: false,
        created: expect.any(Number),
      },
    ]);
  });

  it('works with a customer made in the same request', async () => {
    const paid = await shop.pay({ customer: { email: freshEmail() }, save_payment_method: true });
    expect(paid.body.payment_method_id).toMatch(savedId);
    expect(await methodsOf(shop, paid.body.customer)).toHaveLength(1);
  });

  it('is skipped with save_payment_method false, and silently without a customer', async () => {
    const customer = await newCustomer(shop);
    expect((await shop.pay({ customer, save_payment_method: false })).body.payment_method_id).toBeNull();
    expect(await methodsOf(shop, customer)).toEqual([]);
    expect((await shop.pay()).body.payment_method_id).toBeNull();
  });

  it('needs a customer where it is asked for', async () => {
    const refused = await shop.pay({ save_payment_method: true });
    expectError(refused, 'invalid_params', 'save_payment_method');
    expect(refused.body.error.message).toMatch(/customer is required/);
  });

  it('keeps the model that was asked for', async () => {
    const customer = await newCustomer(shop);
    await shop.pay({ customer, recurring_processing_model: 'subscription' });
    expect(await methodsOf(shop, customer)).toMatchObject([{ recurring_processing_model: 'subscription' }]);
  });

  it('does not happen when the payment is declined', async () => {
    const customer = await newCustomer(shop);
    const declined = await shop.pay({ customer, card: { holder_name: 'CCREJECT-REFUSED' } });
    expect(declined.body).toMatchObject({ status: 'failed', payment_method_id: null });
    expect(await methodsOf(shop, customer)).toEqual([]);
  });

  it('leaves payment_method_id null for ever where the vault gives no token', async () => {
    const customer = await newCustomer(shop);
    const paid = await shop.pay({ customer, card: { holder_name: 'SIM-SAVE-NONE' } });
    expect(paid.body).toMatchObject({ status: 'succeeded', payment_method_id: null });
    await shop.post('/api/v1/test_helpers/clock/advance', { seconds: 60 });
    expect((await shop.get(`/api/v1/payments/${paid.body.id}`)).body.payment_method_id).toBeNull();
    expect(await methodsOf(shop, customer)).toEqual([]);
  });

  it('attaches a late token to the payment and the customer', async () => {
    const customer = await newCustomer(shop);
    const paid = await shop.pay({ customer, card: { holder_name: 'SIM-SAVE-LATE' } });
    expect(paid.body).toMatchObject({ status: 'succeeded', payment_method_id: null });
    await shop.post('/api/v1/test_helpers/clock/advance', { seconds: 10 });
    const known = await until('the late token', async () => {
      const { body } = await shop.get(`/api/v1/payments/${paid.body.id}`);
      return body.payment_method_id === null ? undefined : body;
    });
    expect(known).toEqual({ ...paid.body, payment_method_id: expect.stringMatching(savedId) });
    expect(await methodsOf(shop, customer)).toMatchObject([{ id: known.payment_method_id, last4: '1111' }]);
  });

  it('follows the account default', async () => {
    const other = await Merchant.open(processor);
    await till('accounts', 'update', other.id, '--store-payment-method-default', 'false');
    const customer = await newCustomer(other);
    expect((await other.pay({ customer })).body.payment_method_id).toBeNull();
    expect((await other.pay({ customer, save_payment_method: true })).body.payment_method_id).toMatch(
      savedId,
    );
  });

  it('gives one id to one card saved twice at the same time', async () => {
    const customer = await newCustomer(shop);
    const paid = await Promise.all(Array.from({ length: 6 }, () => shop.pay({ customer })));
    expect(paid.map((reply) => reply.status)).toEqual([201, 201, 201, 201, 201, 201]);
    const ids = new Set(paid.map((reply) => reply.body.payment_method_id));
    expect((await methodsOf(shop, customer)).map((one: { id: string }) => one.id).toSorted()).toEqual(
      [...ids].toSorted(),
    );
  });
});

describe('saving on confirm', () => {
  let shop: Merchant;
  beforeAll(async () => {
    shop = await Merchant.open('processor_b');
  });

  it('keeps a wallet once it is confirmed', async () => {
    const customer = await newCustomer(shop);
    const payment = (await shop.post('/api/v1/payments', wallet({ customer }))).body;
    expect(payment).toMatchObject({ status: 'requires_action', payment_method_id: null });
    const confirmed = await approveAndConfirm(shop, payment);
    expect(confirmed.body).toMatchObject({
      status: 'succeeded',
      payment_method_id: expect.stringMatching(savedId),
    });
    expect(await methodsOf(shop, customer)).toEqual([
      expect.objectContaining({
        id: confirmed.body.payment_method_id,
        type: 'processor_b',
        brand: null,
        last4: null,
        bin: null,
        exp_month: null,
        exp_year: null,
        provider: 'processor_b',
        status: 'active',
      }),
    ]);
  });

  it('keeps the card of a card_fields payment once it is confirmed', async () => {
    const customer = await newCustomer(shop);
    const payment = (
      await shop.post('/api/v1/payments', wallet({ customer, payment_method: { type: 'card_fields' } }))
    ).body;
    const confirmed = await approveAndConfirm(shop, payment);
    expect(confirmed.body.payment_method_id).toMatch(savedId);
    expect(await methodsOf(shop, customer)).toMatchObject([{ type: 'card', last4: '1111' }]);
  });

  it('keeps a held card as well', async () => {
    const customer = await newCustomer(shop);
    const held = await shop.pay({ customer, capture_method: 'manual' });
    expect(held.body).toMatchObject({
      status: 'authorized',
      payment_method_id: expect.stringMatching(savedId),
    });
  });

  it('makes two ids of one wallet saved for two customers, each removable by itself', async () => {
    const customers = [await newCustomer(shop), await newCustomer(shop)];
    const ids: string[] = [];
    for (const customer of customers) {
      const payment = (await shop.post('/api/v1/payments', wallet({ customer }))).body;
      ids.push((await approveAndConfirm(shop, payment)).body.payment_method_id);
    }
    expect(new Set(ids).size).toBe(2);
    expect((await shop.call('DELETE', `/api/v1/payment_methods/${ids[0]}`)).status).toBe(200);
    expect(await methodsOf(shop, customers[0] ?? '')).toEqual([]);
    expect(await methodsOf(shop, customers[1] ?? '')).toMatchObject([{ id: ids[1] }]);
    const charged = await shop.post('/api/v1/payments', {
      amount: 900,
      currency: 'EUR',
      customer: customers[1],
      stored_payment_method: ids[1],
      merchant_initiated: true,
    });
    expect(charged.body).toMatchObject({ status: 'succeeded', payment_method: { type: 'processor_b' } });
  });

  it('keeps the card of a challenge that was passed, on processor_a', async () => {
    const other = await Merchant.open('processor_a');
    const customer = await newCustomer(other);
    const payment = (await other.pay({ customer, card: { number: '4212345678910006' } })).body;
    expect(payment).toMatchObject({ status: 'requires_action', payment_method_id: null });
    expect((await approveAndConfirm(other, payment)).body).toMatchObject({
      status: 'succeeded',
      payment_method_id: expect.stringMatching(savedId),
    });
  });
});

describe('an instrument that the processor cannot store', () => {
  let shop: Merchant;
  beforeAll(async () => {
    shop = await Merchant.open('processor_b');
  });
  const maestro = { number: '6304000000000000' };

  it('is refused where saving was asked for, before anything is charged', async () => {
    const customer = await newCustomer(shop);
    expectError(
      await shop.pay({ customer, card: maestro, save_payment_method: true }),
      'invalid_params',
      'save_payment_method',
    );
    expect((await shop.ledger()).charges).toEqual([]);
  });

  it('is charged without saving where only the default asks for it', async () => {
    const customer = await newCustomer(shop);
    const paid = await shop.pay({ customer, card: maestro });
    expect(paid.body).toMatchObject({ status: 'succeeded', payment_method_id: null });
  });

  it('is refused by the processor as well, and the same key starts a new attempt', async () => {
    const customer = await newCustomer(shop);
    const card = { holder_name: 'SIM-SAVE-REFUSED' };
    const options = { idempotencyKey: 'cannot-save' };
    const refused = await shop.pay({ customer, card, save_payment_method: true }, options);
    expectError(refused, 'invalid_params', 'save_payment_method');
    const again = await shop.pay({ customer, card, save_payment_method: true }, options);
    expectError(again, 'invalid_params', 'save_payment_method');
    expect(again.headers.get('idempotent-replayed')).toBeNull();
    const paid = await shop.pay({ customer, card });
    expect(paid.body).toMatchObject({ status: 'succeeded', payment_method_id: null });
  });
});
