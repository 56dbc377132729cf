import { beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../../support/expect-error.ts';
import { cardPayment, freshEmail, Merchant, type Reply, testCard, till } from '../../support/merchant.ts';
import { type Row, wrongFields } from './payment-fields.ts';

let shop: Merchant;
const charged: string[] = [];

beforeAll(async () => {
  shop = await Merchant.open();
});

async function send(body: unknown): Promise<Reply> {
  const reply = await shop.post('/api/v1/payments', body);
  if (reply.status === 201) charged.push(reply.body.id);
  return reply;
}

const newCustomer = async (fields = {}) =>
  (await shop.post('/api/v1/customers', { email: freshEmail(), ...fields })).body;

describe('a field of the wrong type or out of range', () => {
  it.each(wrongFields)('is refused: $0', async (_name: Row[0], changes: Row[1], param: Row[2]) => {
    expectError(await send(cardPayment(changes)), 'invalid_params', param);
  });
});

describe('a required field', () => {
  const required: readonly (readonly [
    param: string,
    changes: (value: unknown) => Record<string, unknown>,
  ])[] = [
    ['amount', (amount) => ({ amount })],
    ['currency', (currency) => ({ currency })],
    ...['type', 'number', 'exp_month', 'exp_year', 'cvc'].map(
      (field) => [`payment_method.${field}`, (value: unknown) => ({ card: { [field]: value } })] as const,
    ),
  ];

  it.each(required)('is missing_field where it is absent or null: %s', async (param, changes) => {
    expectError(await send(cardPayment(changes(undefined))), 'missing_field', param);
    expectError(await send(cardPayment(changes(null))), 'missing_field', param);
  });

  it('is invalid_params where holder_name is absent, null or empty', async () => {
    for (const holder_name of [undefined, null, '']) {
      const reply = await send(cardPayment({ card: { holder_name } }));
      expectError(reply, 'invalid_params', 'payment_method.holder_name');
    }
  });

  it('is missing_field for an empty object', async () => {
    expectError(await send({}), 'missing_field');
  });
});

describe('the expiry of a card', () => {
  // Moves the account's clock to the middle of a month, so that no test crosses the end of a month.
  it('is good to the end of its month and in the past from the next on', async () => {
    const merchant = await Merchant.open();
    const { now } = await till<{ now: string }>(
      'clock',
      'advance',
      '--account',
      merchant.id,
      '--seconds',
      '1',
    );
    const middle = new Date(now);
    middle.setUTCDate(15);
    if (middle.getTime() <= Date.parse(now)) middle.setUTCMonth(middle.getUTCMonth() + 1);
    const seconds = Math.ceil((middle.getTime() - Date.parse(now)) / 1000);
    await till('clock', 'advance', '--account', merchant.id, '--seconds', String(seconds));
    const [year, month] = [middle.getUTCFullYear(), middle.getUTCMonth() + 1];
    const current = await merchant.pay({ card: { exp_month: month, exp_year: year } });
    expect(current.status).toBe(201);
    const [lastYear, lastMonth] = month === 1 ? [year - 1, 12] : [year, month - 1];
    const over = await merchant.pay({ card: { exp_month: lastMonth, exp_year: lastYear } });
    expectError(over, 'invalid_params', 'payment_method.exp_year');
  });
});

describe('what pays', () => {
  it('is exactly one of payment_method and stored_payment_method', async () => {
    const { payment_method: card, ...rest } = cardPayment();
    const customer = (await newCustomer()).id;
    expectError(await send(rest), 'invalid_params');
    expectError(await send({ ...rest, payment_method: null }), 'invalid_params');
    const both = {
      ...rest,
      customer,
      payment_method: card,
      stored_payment_method: 'pm_000000000000000000000000',
    };
    expectError(await send(both), 'invalid_params');
  });

  it('may be a stored method only with its customer, and one that exists', async () => {
    const { payment_method: _card, ...rest } = cardPayment();
    const stored_payment_method = 'pm_000000000000000000000000';
    expectError(await send({ ...rest, stored_payment_method }), 'invalid_params', 'customer');
    const reply = await send({ ...rest, stored_payment_method, customer: (await newCustomer()).id });
    expectError(reply, 'invalid_params');
    expect(reply.body.error.message).toMatch(/not found/);
  });

  it('may be the last method: not without customer, not beside another one, not where none is saved', async () => {
    const { payment_method: card, ...rest } = cardPayment({ use_last_payment_method: true });
    const customer = (await newCustomer()).id;
    expectError(await send(rest), 'invalid_params', 'customer');
    const stored = { ...rest, customer, stored_payment_method: 'pm_000000000000000000000000' };
    expectError(await send(stored), 'invalid_params', 'use_last_payment_method');
    expectError(await send({ ...rest, customer }), 'invalid_params');
    expectError(await send({ ...rest, customer, payment_method: card }), 'invalid_params');
  });

  it.each(['card_fields', 'processor_b'])('is not %s on processor_a', async (type) => {
    expectError(
      await send({ ...cardPayment(), payment_method: { type } }),
      'invalid_params',
      'payment_method.type',
    );
  });

  it.each(['card_fields', 'processor_b'])('is %s without card details, or refused', async (type) => {
    const merchant = await Merchant.open('processor_b');
    for (const [field, value] of Object.entries(testCard)) {
      if (field === 'type') continue;
      const body = { ...cardPayment(), payment_method: { type, [field]: value } };
      expectError(await merchant.post('/api/v1/payments', body), 'invalid_params', `payment_method.${field}`);
    }
  });
});

describe('a wallet payment', () => {
  it('needs both addresses', async () => {
    const merchant = await Merchant.open('processor_b');
    const wallet = { ...cardPayment(), payment_method: { type: 'processor_b' } };
    for (const field of ['success_url', 'failure_url']) {
      const reply = await merchant.post('/api/v1/payments', { ...wallet, [field]: undefined });
      expectError(reply, 'invalid_params', field);
    }
  });
});

describe('rules across fields', () => {
  it('save_payment_method true needs a customer', async () => {
    const reply = await send(cardPayment({ save_payment_method: true }));
    expectError(reply, 'invalid_params');
    expect(reply.body.error.message).toMatch(/customer is required/i);
  });

  it('saving is skipped silently where it is not asked for and there is no customer', async () => {
    const reply = await send(cardPayment());
    expect(reply.status).toBe(201);
    expect(reply.body.payment_method_id).toBeNull();
  });

  it('merchant_initiated is for stored methods', async () => {
    expectError(
      await send(cardPayment({ merchant_initiated: true })),
      'invalid_params',
      'merchant_initiated',
    );
    expect((await send(cardPayment({ merchant_initiated: false }))).status).toBe(201);
  });

  it('recurring_processing_model needs a method that is saved or stored', async () => {
    const model = { recurring_processing_model: 'subscription' };
    expectError(await send(cardPayment(model)), 'invalid_params', 'recurring_processing_model');
    const customer = (await newCustomer()).id;
    const optedOut = await send(cardPayment({ ...model, customer, save_payment_method: false }));
    expectError(optedOut, 'invalid_params', 'recurring_processing_model');
    expect((await send(cardPayment({ ...model, customer }))).status).toBe(201);
  });

  it('renews_payment needs a stored method', async () => {
    const customer = (await newCustomer()).id;
    const earlier = await send(cardPayment({ customer }));
    const reply = await send(cardPayment({ customer, renews_payment: earlier.body.id }));
    expectError(reply, 'invalid_params', 'renews_payment');
    expect(reply.body.error.message).toMatch(/charging a stored method is required/);
  });

  it('capture_method manual is for processor_b', async () => {
    expectError(await send(cardPayment({ capture_method: 'manual' })), 'invalid_params', 'capture_method');
  });

  it('a provider that is not the account’s is provider_not_configured', async () => {
    expectError(await send(cardPayment({ provider: 'processor_b' })), 'provider_not_configured');
    expect((await send(cardPayment({ provider: 'processor_a' }))).status).toBe(201);
  });

  it('a disconnected account is provider_not_configured until it is connected again', async () => {
    const merchant = await Merchant.open();
    await till('accounts', 'update', merchant.id, '--connection', 'disconnected');
    expectError(await merchant.pay(), 'provider_not_configured');
    await till('accounts', 'update', merchant.id, '--connection', 'connected');
    expect((await merchant.pay()).status).toBe(201);
  });
});

describe('the customer of a payment', () => {
  it('must exist', async () => {
    for (const customer of ['cus_000000000000000000000000', 'cus_x', '', 'pay_000000000000000000000000']) {
      expectError(await send(cardPayment({ customer })), 'customer_not_found');
    }
  });

  it('is refused by the rules of create, under its own path', async () => {
    const taken = await newCustomer({ external_id: 'taken' });
    const email = freshEmail();
    const cases: readonly [object, string, string][] = [
      [{}, 'invalid_params', 'customer.email'],
      [{ email: null }, 'invalid_params', 'customer.email'],
      [{ email: 'nobody' }, 'invalid_params', 'customer.email'],
      [{ email, locale: 'english' }, 'invalid_params', 'customer.locale'],
      [{ email, metadata: { a: 1 } }, 'invalid_params', 'customer.metadata.a'],
      [{ email, date_of_birth: '2999-01-01' }, 'invalid_params', 'customer.date_of_birth'],
      [{ email, billing_address: { country: 'ZZ' } }, 'invalid_params', 'customer.billing_address.country'],
      [{ email: taken.email.toUpperCase() }, 'customer_email_taken', 'customer.email'],
      [{ email, external_id: 'taken' }, 'customer_external_id_taken', 'customer.external_id'],
    ];
    for (const [customer, code, param] of cases)
      expectError(await send(cardPayment({ customer })), code, param);
  });
});

describe('the ledger', () => {
  it('shows exactly the payments that were answered 201: no refusal charged anything', async () => {
    expect(charged.length).toBeGreaterThan(0);
    const { charges } = await shop.ledger();
    expect(charges.map((charge) => charge.reference).sort()).toEqual([...charged].sort());
  });
});
