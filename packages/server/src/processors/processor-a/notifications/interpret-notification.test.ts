import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../wire/json.ts';
import { connection, run } from '../test-kit.ts';
import { effectOf, none } from './test-effects.ts';

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
