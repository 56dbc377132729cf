import { describe, expect, it } from 'vitest';
import type { DisputeFacts } from '../../port/disputes.ts';
import type { JsonObject } from '../../wire/json.ts';
import { disputeReason } from '../disputes/dispute-reason.ts';
import { connection, run } from '../test-kit.ts';

async function factsOf(
  eventCode: string,
  additionalData: JsonObject = {},
  changes: JsonObject = {},
): Promise<DisputeFacts | undefined> {
  const body = {
    pspReference: 'D1',
    originalReference: 'P0',
    merchantReference: 'pay_1',
    merchantAccountCode: 'TillTest',
    eventDate: '2026-11-20T12:00:00+01:00',
    amount: { currency: 'EUR', value: 1000 },
    success: 'true',
    eventCode,
    additionalData,
    ...changes,
  };
  const { outcome } = await run([], (port) => port.interpretNotification(connection, body));
  const [effect] = Array.isArray(outcome) ? outcome : [];
  return effect?.kind === 'dispute' ? effect.facts : undefined;
}

describe('interpretNotification, disputes', () => {
  it('reads every field', async () => {
    const facts = await factsOf(
      'NOTIFICATION_OF_CHARGEBACK',
      {
        chargebackReasonCode: ' 4853',
        chargebackSchemeCode: 'mc',
        defensePeriodEndsAt: '2026-12-01T03:03:08+02:00',
        arn: '74537604221222132710572',
      },
      { reason: 'Goods or Services Not Provided' },
    );
    expect(facts).toEqual({
      upstreamId: 'D1',
      paymentId: 'pay_1',
      payment: { psp: 'P0' },
      amount: 1000,
      currency: 'EUR',
      state: 'chargeback',
      status: 'action_required',
      reason: 'product_not_received',
      networkReasonCode: '4853',
      respondBy: new Date('2026-12-01T01:03:08Z'),
      raisedAt: new Date('2026-11-20T11:00:00Z'),
      arn: '74537604221222132710572',
    });
  });

  it('null for missing fields', async () => {
    const changes = {
      originalReference: undefined,
      merchantReference: 'order-7',
      amount: {},
      eventDate: 'soon',
    };
    expect(await factsOf('CHARGEBACK', { defensePeriodEndsAt: '2026-12-01' }, changes)).toEqual({
      upstreamId: 'D1',
      paymentId: null,
      payment: {},
      amount: null,
      currency: null,
      state: 'chargeback',
      status: 'action_required',
      reason: null,
      networkReasonCode: null,
      respondBy: null,
      raisedAt: null,
      arn: null,
    });
  });

  it.each<[string, JsonObject, string | null, string]>([
    ['REQUEST_FOR_INFORMATION', {}, 'information_request', 'action_required'],
    ['NOTIFICATION_OF_CHARGEBACK', {}, 'chargeback', 'action_required'],
    ['NOTIFICATION_OF_CHARGEBACK', { autoDefended: 'true' }, 'chargeback', 'challenged'],
    ['CHARGEBACK', {}, 'chargeback', 'action_required'],
    ['CHARGEBACK', { disputeStatus: 'Undefended' }, 'chargeback', 'action_required'],
    ['CHARGEBACK', { disputeStatus: 'Undefended', defendable: 'false' }, 'chargeback', 'lost'],
    ['CHARGEBACK', { disputeStatus: 'Pending' }, 'chargeback', 'challenged'],
    ['CHARGEBACK', { disputeStatus: 'Accepted' }, 'chargeback', 'accepted'],
    ['CHARGEBACK', { disputeStatus: 'Lost' }, 'chargeback', 'lost'],
    ['CHARGEBACK', { disputeStatus: 'Won' }, 'chargeback', 'won'],
    ['CHARGEBACK_REVERSED', {}, 'chargeback', 'won'],
    ['SECOND_CHARGEBACK', {}, 'second_chargeback', 'action_required'],
    ['SECOND_CHARGEBACK', { disputeStatus: 'Undefended' }, 'second_chargeback', 'action_required'],
    ['SECOND_CHARGEBACK', { disputeStatus: 'Lost' }, 'second_chargeback', 'lost'],
    ['SECOND_CHARGEBACK', { defendable: 'false' }, 'second_chargeback', 'lost'],
    ['PREARBITRATION_OPEN', {}, 'pre_arbitration', 'action_required'],
    ['PREARBITRATION_DECLINED', {}, 'pre_arbitration', 'challenged'],
    ['PREARBITRATION_ACCEPTED', {}, 'pre_arbitration', 'accepted'],
    ['PREARBITRATION_WON', {}, 'pre_arbitration', 'won'],
    ['PREARBITRATION_ISSUER_WITHDRAWN', {}, 'pre_arbitration', 'won'],
    ['PREARBITRATION_LOST', {}, 'pre_arbitration', 'lost'],
    ['SCHEME_ARBITRATION', {}, 'scheme_arbitration', 'challenged'],
    ['SCHEME_ARBITRATION_WON', {}, 'scheme_arbitration', 'won'],
    ['SCHEME_ARBITRATION_LOST', {}, 'scheme_arbitration', 'lost'],
  ])('%s %j: %s %s', async (eventCode, additionalData, state, status) => {
    expect(await factsOf(eventCode, additionalData)).toMatchObject({ state, status });
    expect(await factsOf(eventCode, additionalData, { success: 'false' })).toBeUndefined();
  });

  describe.each([
    ['INFORMATION_SUPPLIED', 'challenged'],
    ['DISPUTE_DEFENSE_PERIOD_ENDED', 'accepted'],
    ['ISSUER_RESPONSE_TIMEFRAME_EXPIRED', 'won'],
  ])('%s, which several stages have', (eventCode, status) => {
    it.each<[string, JsonObject]>([
      ['information_request', { rfiReasonCode: '33' }],
      ['information_request', { rfiSchemeCode: 'visa', disputeStatus: 'Won' }],
      ['information_request', { disputeStatus: 'Unresponded' }],
      ['information_request', { disputeStatus: 'Responded' }],
      ['information_request', { disputeStatus: 'Expired' }],
      ['chargeback', { chargebackReasonCode: '10.4' }],
      ['chargeback', { chargebackSchemeCode: 'visa', disputeStatus: 'Lost' }],
      ['chargeback', { chargebackReasonCode: '10.4', rfiReasonCode: '33', disputeStatus: 'Pending' }],
    ])('is of the stage that it shows: %s, %j', async (state, additionalData) => {
      expect(await factsOf(eventCode, additionalData)).toMatchObject({ state, status });
    });

    it.each<[JsonObject]>([
      [{}],
      [{ disputeStatus: 'Pending' }],
      [{ disputeStatus: 'Won' }],
      [{ chargebackReasonCode: '10.4', disputeStatus: 'Responded' }],
    ])('moves nothing where it shows none, or two: %j', async (additionalData) => {
      expect(await factsOf(eventCode, additionalData)).toMatchObject({ state: null, status: null });
    });
  });

  it('an amount of nothing is not said', async () => {
    const amount = { currency: 'EUR', value: 0 };
    expect(await factsOf('REQUEST_FOR_INFORMATION', {}, { amount })).toMatchObject({
      amount: null,
      currency: null,
    });
  });

  it('takes the date from the opening event', async () => {
    expect(await factsOf('REQUEST_FOR_INFORMATION')).toMatchObject({ raisedAt: expect.any(Date) });
    expect(await factsOf('CHARGEBACK_REVERSED')).toMatchObject({ raisedAt: null });
  });

  it('reads the reason of a request for information', async () => {
    const additionalData = { rfiReasonCode: '10.4', rfiSchemeCode: 'visa' };
    expect(await factsOf('REQUEST_FOR_INFORMATION', additionalData)).toMatchObject({
      reason: 'fraudulent',
      networkReasonCode: '10.4',
    });
  });

  it('takes the scheme from the payment method where no other field has it', async () => {
    const additionalData = { chargebackReasonCode: '13.1' };
    expect(await factsOf('CHARGEBACK', additionalData, { paymentMethod: 'visa' })).toMatchObject({
      reason: 'product_not_received',
    });
  });
});

const reasons: readonly (readonly [reason: string, scheme: string, codes: string])[] = [
  ['fraudulent', 'visa', '10.1 10.2 10.3 10.4 10.5'],
  ['fraudulent', 'mc', '4837 4840 4849 4863 4870 4871'],
  ['fraudulent', 'amex', 'F10 F14 F22 F24 F29'],
  ['authorization', 'visa', '11.1 11.2 11.3'],
  ['authorization', 'mc', '4807 4808 4812'],
  ['authorization', 'amex', 'A01 A02 A08'],
  ['processing_error', 'visa', '12.1 12.2 12.3 12.4 12.7'],
  ['processing_error', 'mc', '4834 4842 4846 4850'],
  ['processing_error', 'amex', 'P01 P03 P04 P07 P22 P23'],
  ['duplicate', 'visa', '12.6 12.6.1'],
  ['duplicate', 'amex', 'P08'],
  ['paid_by_other_means', 'visa', '12.6.2'],
  ['paid_by_other_means', 'amex', 'C14'],
  ['incorrect_amount', 'visa', '12.5'],
  ['incorrect_amount', 'mc', '4831'],
  ['incorrect_amount', 'amex', 'P05'],
  ['product_not_received', 'visa', '13.1'],
  ['product_not_received', 'mc', '4855'],
  ['product_not_received', 'amex', 'C08'],
  ['product_unacceptable', 'visa', '13.3 13.4 13.5'],
  ['product_unacceptable', 'mc', '4853'],
  ['product_unacceptable', 'amex', 'C31 C32'],
  ['subscription_canceled', 'visa', '13.2'],
  ['subscription_canceled', 'mc', '4841'],
  ['subscription_canceled', 'amex', 'C28'],
  ['credit_not_processed', 'visa', '13.6 13.7'],
  ['credit_not_processed', 'mc', '4860'],
  ['credit_not_processed', 'amex', 'C02 C04 C05'],
  ['general', 'visa', '99 4853'],
  ['general', 'jcb', '502'],
];

describe('disputeReason', () => {
  it.each(
    reasons.flatMap(([reason, scheme, codes]) =>
      codes.split(' ').map((code) => [scheme, code, reason] as const),
    ),
  )('%s %s: %s', (scheme, code, reason) => {
    expect(disputeReason(scheme, code, null)).toBe(reason);
  });

  it.each([
    ['mc', '4834', 'Duplicate processing', 'duplicate'],
    ['mc', '4834', 'Paid by other means', 'paid_by_other_means'],
    ['mc', '4853', 'Goods not received', 'product_not_received'],
    ['visa', '12.6', 'Paid by other means', 'paid_by_other_means'],
    [null, '4853', 'Goods not received', 'general'],
  ])('%s %s, "%s": %s', (scheme, code, words, reason) => {
    expect(disputeReason(scheme, code, words)).toBe(reason);
  });
});
