import { namedSchemas, PaymentCreate } from '@till/contract';
import { describe, expect, it } from 'vitest';
import { prune } from './prune.ts';
import { createValidator } from './validate.ts';

const ajv = createValidator(namedSchemas);

describe('unknown fields', () => {
  it('are dropped at any depth; known fields stay', () => {
    const request = {
      amount: 1000,
      currency: 'EUR',
      card: { number: '4111111111111111', cvc: '987' },
      payment_method: {
        type: 'card',
        number: '4111111111111111',
        cvv: '737',
        card_number: '4111111111111111',
      },
      customer: { email: 'a@shop.example', pan: '4111111111111111', metadata: { own: 'kept' } },
      line_items: [
        { name: 'a', unit_amount: 1000, secret: '4111111111111111', upc: { code: '012345678905', x: 1 } },
      ],
      billing_address: { line1: '1 Main St', pan: '4111111111111111' },
      stc: { sender_email: 'kept' },
    };
    expect(prune(ajv, PaymentCreate, request)).toEqual({
      amount: 1000,
      currency: 'EUR',
      payment_method: { type: 'card', number: '4111111111111111' },
      customer: { email: 'a@shop.example', metadata: { own: 'kept' } },
      line_items: [{ name: 'a', unit_amount: 1000, upc: { code: '012345678905' } }],
      billing_address: { line1: '1 Main St' },
      stc: { sender_email: 'kept' },
    });
  });

  it('leave a customer id and an invalid address as they are', () => {
    const request = { amount: 1, currency: 'EUR', customer: 'cus_x', billing_address: [] };
    expect(prune(ajv, PaymentCreate, request)).toEqual(request);
  });
});
