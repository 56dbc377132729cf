import { describe, expect, it } from 'vitest';
import { sampleCard } from '../../fixtures.ts';
import {
  chargeOutcome,
  detailsOutcome,
  type ExpectedCharge,
  wantsAuthentication,
} from './payment-response.ts';

const money = { paymentId: 'pay_1', amount: 4999, currency: 'EUR' };
const expected: ExpectedCharge = { ...money, instrument: { kind: 'card', card: sampleCard }, save: null };
const authorised = {
  resultCode: 'Authorised',
  pspReference: '993617895204576J',
  merchantReference: 'pay_1',
  amount: { currency: 'EUR', value: 4999 },
};

describe('chargeOutcome', () => {
  it('reads the fields of an authorised charge', () => {
    const answer = {
      ...authorised,
      paymentMethod: { type: 'scheme', brand: 'mc' },
      additionalData: {
        cardBin: '545454',
        issuerBin: '54545454',
        cardSummary: '5454',
        expiryDate: '3/2030',
        networkTxReference: 'MCC123456789012',
        liabilityShift: 'true',
        threeDOfferedResponse: 'Y',
        threeDAuthenticatedResponse: 'Y',
        avsResult: '7 Both match',
      },
    };
    expect(chargeOutcome(answer, expected)).toEqual({
      kind: 'succeeded',
      facts: {
        upstream: { psp: '993617895204576J' },
        brand: 'mastercard',
        bin: '545454',
        last4: '5454',
        expMonth: 3,
        expYear: 2030,
        threeDSecure: { liability_shift: 'POSSIBLE', enrollment_status: 'Y', authentication_status: 'Y' },
        avs: null,
        networkTransactionReference: 'MCC123456789012',
        saved: null,
      },
    });
  });

  it('null for missing and malformed fields', () => {
    const answer = {
      ...authorised,
      additionalData: { cardBin: 'x', cardSummary: '54', expiryDate: '13/2030', paymentMethod: '?' },
    };
    expect(chargeOutcome(answer, expected)).toEqual({
      kind: 'succeeded',
      facts: {
        upstream: { psp: '993617895204576J' },
        brand: null,
        bin: null,
        last4: null,
        expMonth: null,
        expYear: null,
        threeDSecure: null,
        avs: null,
        networkTransactionReference: null,
        saved: null,
      },
    });
  });

  it.each([
    ['paymentMethod', { paymentMethod: 'visa' }],
    ['cardPaymentMethod', { cardPaymentMethod: 'visa' }],
  ])('takes the brand from additionalData.%s', (_, additionalData) => {
    expect(chargeOutcome({ ...authorised, additionalData }, expected)).toMatchObject({
      facts: { brand: 'visa' },
    });
  });

  it('accepts an answer without reference and amount, as in the upstream samples', () => {
    expect(chargeOutcome({ resultCode: 'Authorised', pspReference: 'P' }, expected)).toMatchObject({
      kind: 'succeeded',
    });
  });

  it('compares the amount in the minor units of the upstream', () => {
    const clp = { ...expected, amount: 500, currency: 'CLP' };
    const scaled = { ...authorised, amount: { currency: 'CLP', value: 50_000 } };
    const unscaled = { ...authorised, amount: { currency: 'CLP', value: 500 } };
    expect(chargeOutcome(scaled, clp)).toMatchObject({ kind: 'succeeded' });
    expect(chargeOutcome(unscaled, clp)).toMatchObject({ kind: 'unknown', reason: 'amount differs' });
  });

  it.each([
    ['Refused', '2', '05 : Do not honor', 'do_not_honor'],
    ['Refused', '24', undefined, 'invalid_cvv'],
    ['Refused', 24, undefined, 'invalid_cvv'],
    ['Refused', '11', undefined, '3ds_not_available'],
    ['Error', '4', undefined, 'declined'],
    ['Cancelled', '15', undefined, 'refused'],
  ])('%s %s %s → %s', (resultCode, refusalReasonCode, refusalReasonRaw, code) => {
    const answer = {
      ...authorised,
      resultCode,
      refusalReasonCode,
      additionalData: { refusalReasonRaw, threeDOfferedResponse: 'U' },
    };
    expect(chargeOutcome(answer, expected)).toMatchObject({
      kind: 'declined',
      code,
      facts: { upstream: { psp: '993617895204576J' }, threeDSecure: { enrollment_status: 'U' } },
    });
  });

  it.each([
    ['nothing', undefined, 'provider_error', 'malformed answer'],
    ['null', null, 'provider_error', 'malformed answer'],
    ['a list', [authorised], 'provider_error', 'malformed answer'],
    ['no result code', { pspReference: 'P' }, 'provider_error', 'malformed answer'],
    ['another payment', { ...authorised, merchantReference: 'pay_2' }, 'provider_error', 'reference differs'],
    [
      'another amount',
      { ...authorised, amount: { currency: 'EUR', value: 1 } },
      'provider_error',
      'amount differs',
    ],
    [
      'another currency',
      { ...authorised, amount: { currency: 'USD', value: 4999 } },
      'provider_error',
      'amount differs',
    ],
    ['a garbled amount', { ...authorised, amount: 4999 }, 'provider_error', 'amount differs'],
    [
      'a refusal of another amount',
      { ...authorised, resultCode: 'Refused', amount: { currency: 'EUR', value: 1 } },
      'provider_error',
      'amount differs',
    ],
    ...['IdentifyShopper', 'ChallengeShopper'].map(
      (resultCode) =>
        [resultCode, { ...authorised, resultCode }, 'provider_error', 'native action required'] as const,
    ),
    ['a redirect to nowhere', { resultCode: 'RedirectShopper' }, 'provider_error', 'unsupported redirect'],
    [
      'a redirect by form',
      { resultCode: 'RedirectShopper', action: { method: 'POST', url: 'https://acs.example/', data: {} } },
      'provider_error',
      'unsupported redirect',
    ],
    [
      'a redirect to no page',
      { resultCode: 'RedirectShopper', action: { method: 'GET', url: 'javascript:alert(1)' } },
      'provider_error',
      'unsupported redirect',
    ],
    ...['Pending', 'Received'].map(
      (resultCode) =>
        [resultCode, { ...authorised, resultCode }, 'provider_unavailable', 'result pending'] as const,
    ),
    ...[
      'PartiallyAuthorised',
      'AuthenticationFinished',
      'AuthenticationNotRequired',
      'PresentToShopper',
      'Success',
      'Else',
    ].map(
      (resultCode) =>
        [resultCode, { ...authorised, resultCode }, 'provider_error', 'unexpected result code'] as const,
    ),
  ] as const)('unknown for %s', (_, body, answer, reason) => {
    expect(chargeOutcome(body, expected)).toEqual({ kind: 'unknown', answer, reason });
  });
});

const redirect = {
  resultCode: 'RedirectShopper',
  action: { type: 'redirect', method: 'GET', url: 'https://acs.example/c?id=1' },
};

describe('chargeOutcome, a challenge', () => {
  it('redirects the buyer to the challenge, with or without a reference', () => {
    expect(chargeOutcome(redirect, expected)).toMatchObject({
      kind: 'requires_action',
      action: 'processor_a_redirect',
      redirectUrl: 'https://acs.example/c?id=1',
      facts: { upstream: {} },
    });
    expect(chargeOutcome({ ...redirect, pspReference: 'P' }, expected)).toMatchObject({
      facts: { upstream: { psp: 'P' } },
    });
  });
});

describe('detailsOutcome', () => {
  const waiting = { ...expected, upstream: { psp: 'P' } };

  it('reads an authorised payment', () => {
    expect(detailsOutcome(authorised, { ...expected, upstream: {} })).toMatchObject({
      kind: 'succeeded',
      facts: { upstream: { psp: '993617895204576J' } },
    });
  });

  it('accepts the stored upstream reference in place of ours', () => {
    expect(detailsOutcome({ resultCode: 'Authorised', pspReference: 'P' }, waiting)).toMatchObject({
      kind: 'succeeded',
    });
  });

  it.each([
    ['names no payment', { resultCode: 'Authorised', pspReference: 'Q' }, 'reference missing'],
    ['names another amount', { ...authorised, amount: { currency: 'EUR', value: 1 } }, 'amount differs'],
    ['is garbled', 'nonsense', 'malformed answer'],
  ])('unknown where the answer %s', (_, body, reason) => {
    expect(detailsOutcome(body, waiting)).toEqual({ kind: 'unknown', answer: 'provider_error', reason });
  });

  it.each(['Authorised', 'Refused', 'RedirectShopper', 'Pending'])(
    'not approved where the answer is of another payment: %s',
    (resultCode) => {
      const answer = { ...redirect, ...authorised, resultCode, merchantReference: 'pay_2' };
      expect(detailsOutcome(answer, waiting)).toEqual({
        kind: 'not_approved',
        redirectUrl: null,
        refused: true,
      });
    },
  );

  it('asks for another action of the buyer', () => {
    expect(detailsOutcome({ ...redirect, merchantReference: 'pay_1' }, waiting)).toEqual({
      kind: 'not_approved',
      redirectUrl: 'https://acs.example/c?id=1',
    });
  });

  it.each([
    ['Refused', '11', { transStatus: 'N' }, '3ds_failed'],
    ['Refused', '11', { transStatus: 'N', transStatusReason: '20' }, '3ds_failed'],
    ['Refused', '11', { transStatus: 'U' }, '3ds_not_available'],
    ['Refused', '11', { challengeCancel: '01' }, '3ds_abandoned'],
    ['Refused', '12', {}, 'insufficient_funds'],
    ['Cancelled', undefined, {}, '3ds_abandoned'],
    ['Cancelled', '15', {}, '3ds_abandoned'],
  ])('%s %s %j after a challenge → %s', (resultCode, refusalReasonCode, threeDS2Result, code) => {
    const answer = { ...authorised, resultCode, refusalReasonCode, threeDS2Result };
    expect(detailsOutcome(answer, waiting)).toMatchObject({ kind: 'declined', code });
  });
});

describe('detailsOutcome, a saved method', () => {
  const answer = { ...authorised, resultCode: 'Refused' };
  const refusedFor = (changes: object) =>
    detailsOutcome({ ...answer, ...changes }, { ...expected, upstream: {} });

  it('is gone where its token was revoked', () => {
    const outcome = refusedFor({ refusalReasonCode: '50' });
    expect(outcome).toMatchObject({ kind: 'declined', code: 'refused', instrumentGone: true });
  });

  it('stays where the buyer who is there was refused', () => {
    const additionalData = { refusalReasonRaw: 'R1 : Revocation of authorization' };
    expect(refusedFor({ refusalReasonCode: '26', additionalData })).not.toHaveProperty('instrumentGone');
    expect(refusedFor({ refusalReasonCode: '2' })).not.toHaveProperty('instrumentGone');
  });
});

describe('wantsAuthentication', () => {
  const refused = { ...authorised, resultCode: 'Refused', refusalReasonCode: '38' };

  it('reads the issuer’s demand for authentication', () => {
    expect(wantsAuthentication(refused)).toBe(true);
    const mastercard = { paymentMethod: 'mc', refusalReasonRaw: '65 : Exceeds withdrawal count' };
    expect(wantsAuthentication({ ...refused, refusalReasonCode: '2', additionalData: mastercard })).toBe(
      true,
    );
    const notOffered = { threeDOfferedResponse: 'N/A', threeDAuthenticatedResponse: 'N/A' };
    expect(wantsAuthentication({ ...refused, additionalData: notOffered })).toBe(true);
  });

  it.each<[string, unknown]>([
    ['an approval', { ...refused, resultCode: 'Authorised' }],
    ['another refusal', { ...refused, refusalReasonCode: '2' }],
    ['an authentication that ran', { ...refused, threeDS2Result: { transStatus: 'Y' } }],
    [
      '65 of another brand',
      { ...refused, refusalReasonCode: '29', additionalData: { refusalReasonRaw: '65' } },
    ],
    ['nonsense', 'nonsense'],
  ])('no demand in %s', (_, body) => {
    expect(wantsAuthentication(body)).toBe(false);
  });
});
