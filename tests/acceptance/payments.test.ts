import { beforeAll, describe, expect, it } from 'vitest';
import { Merchant } from '../support/merchant.ts';

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
});
