import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../wire/json.ts';
import { effectOf, none } from './test-effects.ts';

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
