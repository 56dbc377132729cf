import type { FailureCode } from '@till/contract';
import { describe, expect, it } from 'vitest';
import { type Refusal, refusalFailure } from './refusal.ts';
import { authenticationResult } from './three-d-secure.ts';

const failure = (changes: Partial<Refusal>): FailureCode =>
  refusalFailure({
    resultCode: 'Refused',
    reasonCode: '2',
    rawReason: null,
    brand: null,
    authentication: authenticationResult({}),
    afterChallenge: false,
    ...changes,
  });

const byReasonCode: readonly (readonly [FailureCode, string])[] = [
  ['refused', '2 3 14 15 20 22 26 31 32 38 46 50'],
  ['declined', '0 4 7 9 17 18 19 21 27 29 33 34 35 36 37 40 41 43 44 45'],
  ['restricted_card', '5 10 23 25'],
  ['expired_card', '6'],
  ['invalid_card', '8'],
  ['insufficient_funds', '12 28'],
  ['invalid_cvv', '24'],
  ['3ds_abandoned', '16 39'],
  ['3ds_not_available', '42'],
  ['3ds_failed', '11'],
];

describe('refusalFailure by the upstream reason code', () => {
  it.each(
    byReasonCode.flatMap(([expected, codes]) => codes.split(' ').map((code) => [code, expected] as const)),
  )('%s → %s', (reasonCode, expected) => {
    expect(failure({ reasonCode })).toBe(expected);
  });

  it('code 11 depends on the authentication result', () => {
    const authentication = authenticationResult({ threeDS2Result: { transStatus: 'U' } });
    expect(failure({ reasonCode: '11', authentication })).toBe('3ds_not_available');
  });

  it.each([
    ['Refused', 'refused'],
    ['Cancelled', 'refused'],
    ['Error', 'declined'],
  ] as const)('%s without a code, or with a new one → %s', (resultCode, expected) => {
    for (const reasonCode of [null, '999', 'constructor']) {
      expect(failure({ resultCode, reasonCode })).toBe(expected);
    }
  });

  it('a cancelled challenge is 3ds_abandoned', () => {
    expect(failure({ resultCode: 'Cancelled', reasonCode: null, afterChallenge: true })).toBe(
      '3ds_abandoned',
    );
    expect(failure({ resultCode: 'Cancelled', reasonCode: '15', afterChallenge: true })).toBe(
      '3ds_abandoned',
    );
    expect(failure({ resultCode: 'Cancelled', reasonCode: '22', afterChallenge: true })).toBe('refused');
  });
});

const byRawCode: readonly (readonly [FailureCode, string])[] = [
  ['do_not_honor', '05'],
  ['insufficient_funds', '51 61'],
  ['expired_card', '54 33'],
  ['invalid_card', '14 15 46 78'],
  ['invalid_cvv', 'N7 82 63'],
  ['lost_card', '41'],
  ['stolen_card', '43'],
  ['pickup_card', '04 07 34 35 67'],
  ['restricted_card', '36 57 58 62 93'],
  ['refused', '59 83 1A 65 R0 R1 R3'],
];

describe('refusalFailure by the raw acquirer reason', () => {
  // Together with a reason code that alone has another meaning.
  const reasonCode = '27';

  it.each(
    byRawCode.flatMap(([expected, codes]) => codes.split(' ').map((code) => [code, expected] as const)),
  )('code %s → %s', (code, expected) => {
    expect(failure({ reasonCode, rawReason: `${code} : Some words` })).toBe(expected);
    expect(failure({ reasonCode, rawReason: `${code}: Some words` })).toBe(expected);
    expect(failure({ reasonCode, rawReason: code })).toBe(expected);
  });

  it.each([
    ['DO NOT HONOR', 'do_not_honor'],
    ['Do not honour', 'do_not_honor'],
    ['Insufficient funds', 'insufficient_funds'],
    ['Over credit limit', 'insufficient_funds'],
    ['Expired card', 'expired_card'],
    ['Invalid account number', 'invalid_card'],
    ['No such issuer', 'invalid_card'],
    ['CVV2 mismatch', 'invalid_cvv'],
    ['CVC declined', 'invalid_cvv'],
    ['Card verification failed', 'invalid_cvv'],
    ['Lost card, pick up', 'lost_card'],
    ['Stolen card, pick up', 'stolen_card'],
    ['Pick up card', 'pickup_card'],
    ['Pickup card', 'pickup_card'],
    ['Pick-up card', 'pickup_card'],
    ['Restricted card', 'restricted_card'],
    ['Transaction not permitted to cardholder', 'restricted_card'],
    ['Suspected fraud', 'refused'],
    ['Security violation', 'refused'],
    ['Authentication required', 'refused'],
    ['Stop payment order', 'refused'],
    ['Revocation of authorisation', 'refused'],
    ['00 : Insufficient funds', 'insufficient_funds'],
    ['AUTHORISED', 'declined'],
    ['Declined', 'declined'],
    ['0599', 'declined'],
  ] as const)('%s → %s', (rawReason, expected) => {
    expect(failure({ reasonCode, rawReason })).toBe(expected);
  });

  it('codes of one brand apply to that brand only', () => {
    const security = { reasonCode, rawReason: '63 : Security violation' };
    expect(failure({ ...security, brand: 'mastercard' })).toBe('invalid_cvv');
    expect(failure({ ...security, brand: 'visa' })).toBe('refused');
    const count = { reasonCode: '29', rawReason: '65 : Exceeds withdrawal count' };
    expect(failure({ ...count, brand: 'mastercard' })).toBe('refused');
    expect(failure({ ...count, brand: 'visa' })).toBe('declined');
  });

  it.each(['11', '16', '39', '42'])('is not an issuer’s answer beside code %s', (code) => {
    expect(failure({ reasonCode: code, rawReason: '05 : Do not honor' })).toMatch(/^3ds_/);
  });
});
