import type { PaymentCreate } from '@till/contract';
import { describe, expect, it } from 'vitest';
import { keptRequest, storedRequest } from './kept-request.ts';

const request: PaymentCreate = {
  amount: 4990,
  currency: 'EUR',
  reference: 'order-1',
  success_url: 'https://shop.example/ok',
  failure_url: 'https://shop.example/failed',
  payment_method: {
    type: 'card',
    number: '4111111111111111',
    cvc: '737',
    exp_month: 3,
    exp_year: 2030,
    holder_name: 'Jane Smith',
  },
};
const nobody = { ip: null, userAgent: null, accept: null };
const buyer = { ip: '192.0.2.1', userAgent: 'Firefox', accept: null };

describe('what is kept of a request', () => {
  it('has no data of the card, nor what columns of the payment say', () => {
    expect(keptRequest(request, { client: nobody })).toEqual({
      success_url: 'https://shop.example/ok',
      failure_url: 'https://shop.example/failed',
      payment_method: { type: 'card', holder_name: 'Jane Smith' },
    });
  });

  it('names of the browser what is known', () => {
    expect(keptRequest(request, { client: buyer }).client).toEqual({ ip: '192.0.2.1', userAgent: 'Firefox' });
  });
});

describe('a request that is read again', () => {
  it.each([
    ['from a server', nobody],
    ['from a browser', buyer],
  ])('is the one that was sent, without data of the card: %s', (_name, client) => {
    const again = storedRequest(keptRequest(request, { client }), {
      amount: 4990,
      currency: 'EUR',
      reference: 'order-1',
    });
    expect(again).toEqual({
      ...request,
      payment_method: { type: 'card', holder_name: 'Jane Smith' },
      client,
    });
  });

  it('has no reference where none was sent', () => {
    const { reference: _reference, ...without } = request;
    const again = storedRequest(keptRequest(without, { client: nobody }), { ...without, reference: null });
    expect(again).not.toHaveProperty('reference');
  });
});
