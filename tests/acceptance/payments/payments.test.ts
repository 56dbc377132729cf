import { beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../../support/expect-error.ts';
import { freshEmail, Merchant, till } from '../../support/merchant.ts';

let shop: Merchant;

beforeAll(async () => {
  shop = await Merchant.open();
});

describe('charging a card', () => {
  it('answers 201 with the succeeded payment, and the processor charged it once', async () => {
    const reply = await shop.pay({ amount: 1234, reference: 'order-1' });
    expect(reply.status).toBe(201);
    expect(reply.body).toEqual({
      id: expect.stringMatching(/^pay_[a-z0-9]{24}$/),
      object: 'payment',
      amount: 1234,
      currency: 'EUR',
      status: 'succeeded',
      reference: 'order-1',
      shopper_statement: null,
      customer: null,
      payment_method: { type: 'card', brand: 'visa', last4: '1111', exp_month: 3, exp_year: 2032 },
      payment_method_id: null,
      renews_payment: null,
      failure: null,
      livemode: false,
      created: expect.any(Number),
    });
    const { charges } = await shop.ledger();
    expect(charges).toEqual([
      { reference: reply.body.id, amount: 1234, currency: 'EUR', status: 'captured' },
    ]);
  });

  it('is retrieved byte for byte as it was answered', async () => {
    const reply = await shop.pay({ reference: 'order-2' });
    const retrieved = await shop.get(`/api/v1/payments/${reply.body.id}`);
    expect(retrieved.status).toBe(200);
    expect(retrieved.text).toBe(reply.text);
  });

  it('answers 200 with status failed for a decline, and charges nothing', async () => {
    const merchant = await Merchant.open();
    const reply = await merchant.pay({ card: { holder_name: 'CCREJECT-REFUSED' } });
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      id: expect.stringMatching(/^pay_[a-z0-9]{24}$/),
      status: 'failed',
      failure: { code: 'do_not_honor', message: expect.stringMatching(/\S/) },
      payment_method: { type: 'card', brand: 'visa', last4: '1111' },
    });
    expect((await merchant.get(`/api/v1/payments/${reply.body.id}`)).text).toBe(reply.text);
    expect((await merchant.ledger()).charges).toEqual([]);
  });

  it.each([
    ['JPY', 1],
    ['HUF', 5000],
    ['KWD', 1230],
    ['USD', 999_999_999_999],
  ])('takes minor units of ISO 4217: %s', async (currency, amount) => {
    const reply = await shop.pay({ currency, amount });
    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({ currency, amount });
  });

  it('numbers payments so that sorting by id is sorting by time', async () => {
    const merchant = await Merchant.open();
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      ids.push((await merchant.pay()).body.id);
      await till('clock', 'advance', '--account', merchant.id, '--seconds', '1');
    }
    expect([...ids].sort()).toEqual(ids);
  });
});

describe('what is echoed', () => {
  it.each([
    ['reference', 'r'.repeat(80)],
    ['reference', '😀'.repeat(80)],
    ['reference', "'; DROP TABLE payments;--"],
    ['reference', '</script><b>&amp;'],
    ['reference', 'two\nlines\u2028three'],
    ['shopper_statement', 'Café Été ☕ *GRAN* 1234567890 long'],
    ['shopper_statement', '   '],
  ])('is exactly what was sent: %s %j', async (field, value) => {
    const reply = await shop.pay({ [field]: value });
    expect(reply.status).toBe(201);
    expect(reply.body[field]).toBe(value);
  });

  it('is nothing of the card but brand, last four digits and expiry', async () => {
    const reply = await shop.pay({ card: { number: '5555 5555-5555 4444', exp_month: 12, exp_year: 2034 } });
    expect(reply.body.payment_method).toEqual({
      type: 'card',
      brand: 'mastercard',
      last4: '4444',
      exp_month: 12,
      exp_year: 2034,
    });
    expect(reply.text).not.toMatch(/5555[ -]?5555/);
    // Three digits may occur inside ids and times by chance.
    expect(reply.text).not.toMatch(/(?<![0-9A-Za-z.])737(?![0-9A-Za-z])/);
  });

  it('is no unknown field', async () => {
    const reply = await shop.pay({ x_unknown: 1, id: 'pay_mine', status: 'voided', livemode: true });
    expect(reply.status).toBe(201);
    expect(reply.body).not.toHaveProperty('x_unknown');
    expect(reply.body).toMatchObject({ status: 'succeeded', livemode: false });
  });

  it('is capture_method on manual payments only', async () => {
    const reply = await shop.pay({ capture_method: 'automatic' });
    expect(reply.status).toBe(201);
    expect(reply.body).not.toHaveProperty('capture_method');
  });
});

describe("a payment's customer", () => {
  it('is attached by id', async () => {
    const customer = (await shop.post('/api/v1/customers', { email: freshEmail() })).body.id;
    const reply = await shop.pay({ customer, save_payment_method: false });
    expect(reply.body).toMatchObject({ customer, payment_method_id: null });
  });

  it('is created with the payment, by the rules of create', async () => {
    const email = freshEmail();
    const reply = await shop.pay({ customer: { email, name: 'Inline', metadata: { a: 'b' } } });
    expect(reply.status).toBe(201);
    const customer = await shop.get(`/api/v1/customers/${reply.body.customer}`);
    expect(customer.body).toMatchObject({ email, name: 'Inline', metadata: { a: 'b' } });
  });

  it('stays when the payment is declined', async () => {
    const email = freshEmail();
    const reply = await shop.pay({ customer: { email }, card: { holder_name: 'DECLINED' } });
    expect(reply.body.status).toBe('failed');
    expect((await shop.get(`/api/v1/customers/${reply.body.customer}`)).body.email).toBe(email);
  });

  it('is not created where the payment is refused', async () => {
    const email = freshEmail();
    expectError(await shop.pay({ customer: { email }, amount: 0 }), 'invalid_params', 'amount');
    const reply = await shop.get(`/api/v1/customers?email=${encodeURIComponent(email)}`);
    expect(reply.body.total_count).toBe(0);
  });

  it('keeps its own address when the payment sends another', async () => {
    const billing_address = { line1: '1 Main', city: 'Berlin', country: 'DE' };
    const customer = (await shop.post('/api/v1/customers', { email: freshEmail(), billing_address })).body;
    await shop.pay({ customer: customer.id, billing_address: { line1: '2 Other', country: 'FR' } });
    expect((await shop.get(`/api/v1/customers/${customer.id}`)).body).toEqual(customer);
  });
});

describe('an address sent with the payment', () => {
  const odd: readonly (readonly [string, unknown])[] = [
    ['an array', []],
    ['text', 'Main Street'],
    ['a number', 5],
    ['true', true],
    ['an unknown country', { country: 'ZZZ' }],
    ['a country that is a number', { country: 5 }],
    ['a line that is an object', { line1: {}, country: 'DE' }],
    ['a line of 10,000 characters', { line1: 'l'.repeat(10_000), country: 'DE' }],
    ['a US address without state', { line1: '1 Main', city: 'NY', postal_code: '10001', country: 'US' }],
    ['nothing but a city', { city: 'Berlin' }],
    ['an empty object', {}],
    ['null', null],
  ];

  it.each(odd)('never fails the payment: %s', async (_name, address) => {
    for (const field of ['billing_address', 'delivery_address']) {
      const reply = await shop.pay({ [field]: address });
      expect(reply.status).toBe(201);
    }
  });
});

describe('retrieving a payment', () => {
  it('answers 404 for an id that is unknown, of another kind, or no id', async () => {
    const customer = (await shop.post('/api/v1/customers', { email: freshEmail() })).body.id;
    for (const id of [
      'pay_000000000000000000000000',
      customer,
      'x',
      `pay_${'a'.repeat(5000)}`,
      '%00',
      '..%2f..',
    ]) {
      expectError(await shop.get(`/api/v1/payments/${id}`), 'not_found');
    }
  });
});
