import { describe, expect, test } from 'vitest';
import { payment, testPan } from '../test-client.ts';
import { ServiceRefusal } from './errors.ts';
import {
  parseBody,
  readDirectives,
  readMerchantAccount,
  readPaymentRequest,
  withoutCardSecrets,
} from './payment-request.ts';

const now = new Date('2026-12-31T23:59:59Z');
const address = {
  street: 'Keizersgracht',
  houseNumberOrName: '7',
  city: 'Amsterdam',
  postalCode: '1015',
  country: 'NL',
};

function refusalOf(body: Record<string, unknown>): string {
  try {
    readPaymentRequest(body, now);
    return 'accepted';
  } catch (error) {
    return error instanceof ServiceRefusal ? `${error.status}/${error.errorCode}` : String(error);
  }
}

describe('a payment request', () => {
  test('is read into what the simulator acts on', () => {
    const body = payment(
      'acct',
      { expiryMonth: '3' },
      { authenticationData: { attemptAuthentication: 'never' }, billingAddress: address },
    );
    expect(readPaymentRequest(body, now)).toEqual({
      reference: body.reference,
      amount: { value: 1999, currency: 'EUR', minor: 1999 },
      returnUrl: 'https://till.example/checkout/return/token',
      card: { number: testPan, bin: '411111', last4: '1111', expiryMonth: 3, expiryYear: 2030 },
      authentication: 'never',
      manualCapture: false,
      hasBillingAddress: true,
    });
  });

  test('over zero is one that verifies the card', () => {
    const body = payment('acct', {}, { amount: { value: 0, currency: 'EUR' } });
    expect(readPaymentRequest(body, now).amount).toEqual({ value: 0, currency: 'EUR', minor: 0 });
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['no reference', { reference: undefined }, '422/130'],
    ['an empty reference', { reference: ' ' }, '422/130'],
    ['a reference of 81 characters', { reference: 'x'.repeat(81) }, '422/14_018'],
    ['no amount', { amount: undefined }, '422/137'],
    ['a negative amount', { amount: { value: -1, currency: 'EUR' } }, '422/137'],
    ['a broken amount', { amount: { value: 1.5, currency: 'EUR' } }, '422/137'],
    ['an amount as text', { amount: { value: '100', currency: 'EUR' } }, '422/137'],
    ['an amount beyond exact integers', { amount: { value: 1e300, currency: 'EUR' } }, '422/137'],
    ['no currency', { amount: { value: 100 } }, '422/138'],
    ['a currency in lower case', { amount: { value: 100, currency: 'eur' } }, '422/138'],
    ['no return URL', { returnUrl: undefined }, '422/14_030'],
    ['no payment method', { paymentMethod: undefined }, '422/14_018'],
    ['another payment method', { paymentMethod: { type: 'ideal' } }, '422/14_018'],
  ])('with %s is refused', (_what, change, refusal) => {
    expect(refusalOf(payment('acct', {}, change))).toBe(refusal);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['no number', { number: undefined }, '422/101'],
    ['a number that fails the Luhn check', { number: '4111111111111112' }, '422/101'],
    ['11 digits', { number: '00000000000' }, '422/101'],
    ['20 digits', { number: '0'.repeat(20) }, '422/101'],
    ['spaces in the number', { number: '4111 1111 1111 1111' }, '422/101'],
    ['a number that is no text', { number: 4_111_111_111_111_111 }, '422/101'],
    ['no holder', { holderName: undefined }, '422/128'],
    ['an empty holder', { holderName: '' }, '422/128'],
    ['no expiry month', { expiryMonth: undefined }, '422/140'],
    ['a thirteenth month', { expiryMonth: '13' }, '422/140'],
    ['a year of two digits', { expiryYear: '30' }, '422/140'],
    ['an expiry last month', { expiryMonth: '11', expiryYear: '2026' }, '422/129'],
    ['an expiry this month', { expiryMonth: '12', expiryYear: '2026' }, 'accepted'],
    ['no CVC', { cvc: undefined }, '422/153'],
    ['a CVC of two digits', { cvc: '73' }, '422/103'],
    ['a CVC of four digits', { cvc: '7373' }, '422/103'],
    ['a CVC with letters', { cvc: '7a7' }, '422/103'],
    ['an Amex with three digits', { number: '370000000000002', cvc: '737' }, 'accepted'],
    ['an Amex with four digits', { number: '370000000000002', cvc: '7373' }, 'accepted'],
  ])('whose card has %s is answered', (_what, change, refusal) => {
    expect(refusalOf(payment('acct', change))).toBe(refusal);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['no city', { city: undefined }, '422/131'],
    ['no street', { street: undefined }, '422/132'],
    ['no house number', { houseNumberOrName: undefined }, '422/133'],
    ['no postal code', { postalCode: undefined }, '422/104'],
    ['no country', { country: undefined }, '422/134'],
    ['a country name', { country: 'Netherlands' }, '422/134'],
    ['the US without a state', { country: 'US' }, '422/135'],
    ['the US with a state', { country: 'US', stateOrProvince: 'CA' }, 'accepted'],
  ])('whose address has %s is answered', (_what, change, refusal) => {
    expect(refusalOf(payment('acct', {}, { billingAddress: { ...address, ...change } }))).toBe(refusal);
    expect(refusalOf(payment('acct', {}, { deliveryAddress: { ...address, ...change } }))).toBe(refusal);
  });
});

describe('a body', () => {
  test.each(['', '{', '[]', 'null', '"text"', `{"number": ${testPan}`])('%s is refused unread', (text) => {
    expect(() => parseBody(Buffer.from(text))).toThrow(
      expect.objectContaining({
        status: 400,
        errorCode: '702',
        message: expect.not.stringContaining(testPan),
      }),
    );
  });

  test.each([undefined, '', 7, 'x'.repeat(81)])('for the account %s is refused', (merchantAccount) => {
    expect(() => readMerchantAccount({ merchantAccount })).toThrow(
      expect.objectContaining({ status: 403, errorCode: '901' }),
    );
  });
});

test('directives are looked for in the holder name, then in the line items', () => {
  const lineItems = [{ description: 'first' }, null, { id: 'x' }, { description: 'second' }];
  expect(readDirectives(payment('acct', { holderName: 'holder' }, { lineItems }))).toEqual([
    'holder',
    'first',
    'second',
  ]);
  expect(readDirectives({ lineItems: 'no list' })).toEqual([]);
});

test('card secrets are taken out wherever the number was typed', () => {
  const body = payment(
    'acct',
    { holderName: '4111 1111-1111 1111', encryptedCardNumber: 'secret', networkPaymentReference: 'x' },
    {
      metadata: { note: `card ${testPan}!`, [testPan]: 'key' },
      lineItems: [{ description: testPan, quantity: 2, sku: Number(testPan) }],
      origin: null,
    },
  );
  const { card } = readPaymentRequest(body, now);
  const kept = withoutCardSecrets(body, card);
  expect(kept).toEqual({
    ...body,
    paymentMethod: {
      type: 'scheme',
      holderName: '411111******1111',
      expiryMonth: '03',
      expiryYear: '2030',
      bin: '411111',
      last4: '1111',
    },
    metadata: { note: 'card 411111******1111!', '411111******1111': 'key' },
    lineItems: [{ description: '411111******1111', quantity: 2, sku: '411111******1111' }],
    origin: null,
  });
  expect(JSON.stringify(kept)).not.toContain(testPan);
});
