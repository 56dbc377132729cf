import type { PaymentCreate } from '@till/contract';
import { describe, expect, it } from 'vitest';
import { keptRequest, type SentCustomer, storedRequest } from './kept-request.ts';
import { sentCustomer } from './request/sent-with.ts';

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
const browser = { ip: '192.0.2.1', userAgent: 'Firefox', accept: null };

describe('what is kept of a request', () => {
  it('has no data of the card, nor what columns of the payment say', () => {
    expect(keptRequest(request, nobody, null)).toEqual({
      success_url: 'https://shop.example/ok',
      failure_url: 'https://shop.example/failed',
      payment_method: { type: 'card', holder_name: 'Jane Smith' },
    });
  });

  it('names of the browser what is known', () => {
    expect(keptRequest(request, browser, null).client).toEqual({ ip: '192.0.2.1', userAgent: 'Firefox' });
  });
});

const ada = { email: 'ada@shop.example', name: 'Ada', phone: null, locale: null, dateOfBirth: null };
const berlin = { line1: 'Street 1', city: 'Berlin', postal_code: '10115', country: 'DE' };
const known: SentCustomer = {
  addresses: { billing: berlin, delivery: null },
  buyer: ada,
  upstreamCustomer: 'UP1',
};
const bare: SentCustomer = {
  addresses: { billing: null, delivery: null },
  buyer: { ...ada, name: null },
  upstreamCustomer: null,
};

describe('what is kept of an existing customer', () => {
  it.each([
    [known, { billing: berlin, upstreamCustomer: 'UP1', buyer: { email: ada.email, name: 'Ada' } }],
    [bare, { buyer: { email: ada.email } }],
  ])('%# is what was sent, without what is not known', (sent, kept) => {
    const stored = keptRequest(request, nobody, sent);
    expect(stored.sent).toEqual(kept);
    const again = storedRequest(stored, { amount: 4990, currency: 'EUR', reference: null });
    expect(again.sentCustomer).toEqual(sent);
    expect(again).not.toHaveProperty('sent');
  });
});

describe('what has to be kept of a customer', () => {
  const { buyer, ...sent } = known;
  const withBuyer = {
    client: nobody,
    save: null,
    addresses: sent.addresses,
    buyer: { id: 'cus_1', ...buyer },
  };

  it('is nothing if there is none, or if the request has their data', () => {
    expect(sentCustomer(request, { ...withBuyer, buyer: null })).toBeNull();
    expect(sentCustomer({ ...request, customer: { email: ada.email } }, withBuyer)).toBeNull();
  });

  it('is the data without the id, which the payment has', () => {
    const kept = { addresses: sent.addresses, buyer, upstreamCustomer: null };
    expect(sentCustomer({ ...request, customer: 'cus_1' }, withBuyer)).toEqual(kept);
  });
});

describe('a request that is read again', () => {
  it.each([
    ['from a server', nobody],
    ['from a browser', browser],
  ])('is the one that was sent, without data of the card: %s', (_name, client) => {
    const again = storedRequest(keptRequest(request, client, null), {
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
    const again = storedRequest(keptRequest(without, nobody, null), { ...without, reference: null });
    expect(again).not.toHaveProperty('reference');
  });
});
