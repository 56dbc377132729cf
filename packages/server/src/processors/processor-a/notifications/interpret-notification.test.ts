import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../wire/json.ts';
import { connection, run } from '../test-kit.ts';

const item = {
  pspReference: 'PSP1',
  merchantReference: 'pay_1',
  merchantAccountCode: 'TillTest',
  eventDate: '2026-11-20T12:00:00+01:00',
  amount: { currency: 'EUR', value: 1000 },
  success: 'true',
};

/** Returns the only effect of an event. */
async function effectOf(eventCode: string, changes: JsonObject = {}) {
  const { outcome, sent } = await run([], (port) =>
    port.interpretNotification(connection, { ...item, eventCode, ...changes }),
  );
  expect(sent).toEqual([]);
  expect(outcome).toHaveLength(1);
  return Array.isArray(outcome) ? outcome[0] : outcome;
}
const none = { kind: 'none' };

describe('interpretNotification, AUTHORISATION', () => {
  it('settles an approved payment with every field', async () => {
    const additionalData = {
      cardBin: '545454',
      cardSummary: '5454',
      expiryDate: '3/2030',
      networkTxReference: 'MCC1',
      liabilityShift: 'true',
      threeDAuthenticatedResponse: 'Y',
      'tokenization.storedPaymentMethodId': 'M5N7',
    };
    const effect = await effectOf('AUTHORISATION', { paymentMethod: 'mc', reason: '', additionalData });
    expect(effect).toEqual({
      kind: 'payment_settled',
      paymentId: 'pay_1',
      amount: 1000,
      currency: 'EUR',
      outcome: {
        kind: 'succeeded',
        facts: {
          upstream: { psp: 'PSP1' },
          brand: 'mastercard',
          bin: '545454',
          last4: '5454',
          expMonth: 3,
          expYear: 2030,
          threeDSecure: { liability_shift: 'POSSIBLE', authentication_status: 'Y' },
          avs: null,
          networkTransactionReference: 'MCC1',
          saved: { token: 'M5N7', upstreamCustomer: null },
        },
      },
    });
  });

  it('reads "N/A" as no result of 3-D Secure', async () => {
    const additionalData = {
      liabilityShift: 'false',
      threeDOfferedResponse: 'N/A',
      threeDAuthenticatedResponse: 'N/A',
    };
    expect(await effectOf('AUTHORISATION', { additionalData })).toMatchObject({
      outcome: { kind: 'succeeded', facts: { threeDSecure: null } },
    });
  });

  it('takes card and expiry from the reason where no other field has them', async () => {
    const reason = '033899:1111:03/2030';
    expect(await effectOf('AUTHORISATION', { paymentMethod: 'visa', reason })).toMatchObject({
      outcome: { facts: { brand: 'visa', last4: '1111', expMonth: 3, expYear: 2030, saved: null } },
    });
    const additionalData = { cardSummary: '2222' };
    expect(await effectOf('AUTHORISATION', { reason, additionalData })).toMatchObject({
      outcome: { facts: { last4: '2222', expMonth: 3 } },
    });
  });

  it('does not save the token of a charged stored card again', async () => {
    const additionalData = { shopperInteraction: 'ContAuth', 'recurring.recurringDetailReference': 'M5N7' };
    expect(await effectOf('AUTHORISATION', { additionalData })).toMatchObject({
      outcome: { facts: { saved: null } },
    });
  });

  it.each([
    ['Refused', {}, 'refused'],
    ['REFUSED', { refusalReasonRaw: '05 : Do not honor' }, 'do_not_honor'],
    ['Not enough balance', {}, 'insufficient_funds'],
    ['CVC Declined', {}, 'invalid_cvv'],
    ['Expired Card', {}, 'expired_card'],
    ['FRAUD-CANCELLED', {}, 'refused'],
    ['3D Not Authenticated', { threeDOfferedResponse: 'U' }, '3ds_not_available'],
    ['3d-not-authenticated', {}, '3ds_failed'],
    ['Words that are new', {}, 'refused'],
    [undefined, {}, 'refused'],
  ])('settles a payment refused for %s %j as %s', async (reason, additionalData, code) => {
    expect(await effectOf('AUTHORISATION', { success: 'false', reason, additionalData })).toMatchObject({
      kind: 'payment_settled',
      outcome: { kind: 'declined', code, facts: { upstream: { psp: 'PSP1' }, saved: null } },
    });
  });

  it.each([
    ['Token Revoked', {}, true],
    ['Revocation Of Auth', { recurringProcessingModel: 'Subscription' }, true],
    ['Refused', { recurringProcessingModel: 'UnscheduledCardOnFile', refusalReasonRaw: 'R1' }, true],
    [
      'Revocation Of Auth',
      { recurringProcessingModel: 'Subscription', shopperInteraction: 'ContAuth' },
      true,
    ],
    // The buyer was present at the payment that saves a card for a subscription.
    [
      'Revocation Of Auth',
      { recurringProcessingModel: 'Subscription', shopperInteraction: 'Ecommerce' },
      undefined,
    ],
    ['Revocation Of Auth', { recurringProcessingModel: 'CardOnFile' }, undefined],
    ['Revocation Of Auth', {}, undefined],
  ])('%s %j: method is gone %s', async (reason, additionalData, instrumentGone) => {
    const effect = await effectOf('AUTHORISATION', { success: 'false', reason, additionalData });
    const { outcome } = effect as { outcome: { kind: string; instrumentGone?: true } };
    expect(outcome.kind).toBe('declined');
    expect(outcome.instrumentGone).toBe(instrumentGone);
  });

  it.each<[string, JsonObject]>([
    ['Authentication required', {}],
    [
      'Authentication required',
      { recurringProcessingModel: 'Subscription', shopperInteraction: 'Ecommerce' },
    ],
    ['Authentication required', { recurringProcessingModel: 'Subscription', shopperInteraction: 'ContAuth' }],
    ['Refused', { refusalReasonRaw: '1A : Additional customer authentication required' }],
    ['Refused', { refusalReasonRaw: '65 : Authentication required', paymentMethod: 'mc' }],
  ])('reports that the issuer only demands authentication: %s %j', async (reason, additionalData) => {
    expect(await effectOf('AUTHORISATION', { success: 'false', reason, additionalData })).toMatchObject({
      kind: 'payment_settled',
      asksForAuthentication: true,
      outcome: { kind: 'declined', code: 'refused', facts: { upstream: { psp: 'PSP1' } } },
    });
  });

  it.each<[string, string, JsonObject]>([
    ['true', 'Authentication required', {}],
    ['false', 'Refused', {}],
    ['false', 'Authentication required', { threeDAuthenticatedResponse: 'Y' }],
  ])('demands no authentication with success %s and %s %j', async (success, reason, additionalData) => {
    const effect = await effectOf('AUTHORISATION', { success, reason, additionalData });
    expect(effect).not.toHaveProperty('asksForAuthentication');
  });

  it.each<[string, JsonObject]>([
    ['a payment of somebody else', { merchantReference: 'order-7' }],
    ['no amount', { amount: undefined }],
    ['a garbled amount', { amount: { currency: 'EUR', value: '10' } }],
    ['a fraction', { amount: { currency: 'EUR', value: 10.5 } }],
    ['an unknown currency', { amount: { currency: 'XXX', value: 10 } }],
    ['less than our minor unit', { amount: { currency: 'CLP', value: 10 } }],
  ])('ignored with %s', async (_, changes) => {
    expect(await effectOf('AUTHORISATION', changes)).toEqual(none);
  });
});

describe('interpretNotification, the rest of a payment', () => {
  it.each(['CANCELLATION', 'TECHNICAL_CANCEL', 'CANCEL_OR_REFUND'])(
    '%s cancels, or reports that it could not',
    async (eventCode) => {
      const paymentId = 'pay_1';
      expect(await effectOf(eventCode)).toEqual({ kind: 'payment_cancelled', paymentId });
      const failed = { success: 'false', reason: 'Transaction has already been captured' };
      expect(await effectOf(eventCode, failed)).toEqual({ kind: 'payment_not_cancelled', paymentId });
      for (const success of ['true', 'false']) {
        expect(await effectOf(eventCode, { success, merchantReference: 'order-7' })).toEqual(none);
      }
    },
  );

  it.each(['cancel', 'refund'])('CANCEL_OR_REFUND cancels also by a %s', async (action) => {
    const additionalData = { 'modification.action': action };
    expect(await effectOf('CANCEL_OR_REFUND', { additionalData })).toEqual({
      kind: 'payment_cancelled',
      paymentId: 'pay_1',
    });
  });

  it('OFFER_CLOSED closes what its buyer left unpaid', async () => {
    expect(await effectOf('OFFER_CLOSED')).toEqual({
      kind: 'payment_offer_closed',
      paymentId: 'pay_1',
      payment: { psp: 'PSP1' },
    });
    expect(await effectOf('OFFER_CLOSED', { success: 'false' })).toEqual(none);
    expect(await effectOf('OFFER_CLOSED', { merchantReference: 'order 7' })).toEqual(none);
  });

  it.each([
    ['CAPTURE_FAILED', 'true', 'capture_failed'],
    ['CAPTURE', 'false', 'capture_failed'],
    ['NOTIFICATION_OF_FRAUD', 'true', 'fraud_reported'],
  ] as const)('%s with success %s contradicts a settled payment: %s', async (eventCode, success, alert) => {
    const reference = { originalReference: 'PSP0', success };
    expect(await effectOf(eventCode, reference)).toEqual({
      kind: 'payment_alert',
      alert,
      paymentId: 'pay_1',
      payment: { psp: 'PSP0' },
    });
    const elsewhere = { ...reference, merchantReference: 'order 7' };
    expect(await effectOf(eventCode, elsewhere)).toMatchObject({
      paymentId: null,
      payment: { psp: 'PSP0' },
    });
    const unnamed = { merchantReference: 'order 7', originalReference: undefined, success };
    expect(await effectOf(eventCode, unnamed)).toEqual(none);
    const opposite = { originalReference: 'PSP0', success: success === 'true' ? 'false' : 'true' };
    expect(await effectOf(eventCode, opposite)).toEqual(none);
  });

  it.each([
    'EXPIRE',
    'REPORT_AVAILABLE',
    'MANUAL_REVIEW_REJECT',
    'ISSUER_COMMENTS',
    'recurring.token.created',
    'NEW_EVENT',
    'constructor',
  ])('%s is ignored', async (eventCode) => {
    expect(await effectOf(eventCode)).toEqual(none);
  });

  it.each([null, 'text', [], { eventCode: 'AUTHORISATION' }])('%# malformed: %j', async (body) => {
    const { outcome } = await run([], (port) => port.interpretNotification(connection, body));
    expect(outcome).toEqual([none]);
  });
});

describe('interpretNotification, refunds', () => {
  const refund = { merchantReference: 're_1', originalReference: 'P0' };

  it.each<[string, JsonObject, unknown]>([
    ['REFUND', {}, 'succeeded'],
    ['REFUND', { success: 'false', reason: 'Insufficient balance on payment' }, 'insufficient_balance'],
    ['REFUND_FAILED', {}, 'rejected_by_scheme'],
    ['REFUNDED_REVERSED', {}, 'reversed'],
  ])('%s %j: %s', async (eventCode, changes, expected) => {
    const effect = await effectOf(eventCode, { ...refund, ...changes });
    expect(effect).toMatchObject({
      kind: 'refund_settled',
      refundId: 're_1',
      upstreamId: 'PSP1',
      paymentId: null,
      payment: { psp: 'P0' },
      amount: 1000,
      currency: 'EUR',
    });
    const { outcome } = effect as { outcome: string | { code: string; message: string } };
    expect(typeof outcome === 'string' ? outcome : outcome.code).toBe(expected);
  });

  it('finds a refund made elsewhere by its payment', async () => {
    expect(await effectOf('REFUND', { ...refund, merchantReference: 'Refund by hand' })).toMatchObject({
      refundId: null,
      paymentId: null,
      payment: { psp: 'P0' },
    });
    expect(await effectOf('REFUNDED_REVERSED', { originalReference: undefined })).toMatchObject({
      refundId: null,
      paymentId: 'pay_1',
      payment: {},
    });
  });

  it.each([
    [{ currency: 'CLP', value: 5000 }, 50],
    [{ currency: 'IDR', value: 50 }, 5000],
    [{ currency: 'JPY', value: 50 }, 50],
  ])('amount %j in our minor units: %i', async (amount, expected) => {
    expect(await effectOf('REFUND', { ...refund, amount })).toMatchObject({ amount: expected });
  });

  it('ignored without an amount', async () => {
    expect(await effectOf('REFUND', { ...refund, amount: {} })).toEqual(none);
  });
});

describe('interpretNotification, RECURRING_CONTRACT', () => {
  const contract = { pspReference: 'M5N7', originalReference: 'P0' };
  const saved = { token: 'M5N7', upstreamCustomer: null };

  it('saves the token for the payment', async () => {
    expect(await effectOf('RECURRING_CONTRACT', contract)).toEqual({
      kind: 'instrument_saved',
      paymentId: 'pay_1',
      payment: { psp: 'P0' },
      saved,
    });
  });

  it('prefers the named token, and finds a payment by the upstream reference alone', async () => {
    const additionalData = { 'recurring.recurringDetailReference': 'M5N7' };
    const changes = { ...contract, pspReference: 'ELSE', merchantReference: 'order-7', additionalData };
    expect(await effectOf('RECURRING_CONTRACT', changes)).toMatchObject({ paymentId: null, saved });
  });

  it('ignored without success or without a token', async () => {
    expect(await effectOf('RECURRING_CONTRACT', { ...contract, success: 'false' })).toEqual(none);
    expect(await effectOf('RECURRING_CONTRACT', { ...contract, pspReference: 'a b' })).toEqual(none);
  });
});
