import { describe, expect, it } from 'vitest';
import { authenticationFailure, authenticationResult, threeDSecure } from './three-d-secure.ts';

const result = (additionalData: object, threeDS2Result?: object) =>
  authenticationResult({ additionalData, ...(threeDS2Result === undefined ? {} : { threeDS2Result }) });

/** Copied from Adyen's own example `post-payments-split-balanceplatform-200` (Checkout API v71). */
const notOffered = {
  threeDOffered: 'false',
  threeDOfferedResponse: 'N/A',
  threeDAuthenticated: 'false',
  threeDAuthenticatedResponse: 'N/A',
  liabilityShift: 'false',
};

describe('threeDSecure', () => {
  it.each([
    ['nothing', result({}), null],
    ['what a payment without 3-D Secure carries', result(notOffered), null],
    [
      'a directory server without an authentication',
      result({ ...notOffered, threeDOffered: 'true', threeDOfferedResponse: 'N' }),
      { liability_shift: 'NO', enrollment_status: 'N' },
    ],
    ['a bare refusal of the shift', result({ liabilityShift: 'false' }), null],
    ['a bare shift', result({ liabilityShift: 'true' }), { liability_shift: 'POSSIBLE' }],
    [
      'everything',
      result({ liabilityShift: 'true', threeDOfferedResponse: 'Y', threeDAuthenticatedResponse: 'Y' }),
      { liability_shift: 'POSSIBLE', enrollment_status: 'Y', authentication_status: 'Y' },
    ],
    [
      'a failed authentication',
      result({ liabilityShift: 'false', threeDOfferedResponse: 'Y', threeDAuthenticatedResponse: 'N' }),
      { liability_shift: 'NO', enrollment_status: 'Y', authentication_status: 'N' },
    ],
    [
      'statuses alone',
      result({ threeDOfferedResponse: 'U' }),
      { liability_shift: 'UNKNOWN', enrollment_status: 'U' },
    ],
    [
      'the 3DS2 result alone',
      result({}, { transStatus: 'A' }),
      { liability_shift: 'UNKNOWN', authentication_status: 'A' },
    ],
    [
      'both statuses',
      result({ threeDAuthenticatedResponse: 'Y' }, { transStatus: 'C' }),
      { liability_shift: 'UNKNOWN', authentication_status: 'Y' },
    ],
  ])('maps %s', (_, authentication, expected) => {
    expect(threeDSecure(authentication)).toEqual(expected);
  });
});

describe('authenticationFailure', () => {
  it.each([
    ...['01', '03', '04', '05', '08'].map(
      (challengeCancel) => [{ challengeCancel }, '3ds_abandoned'] as const,
    ),
    [{ transStatusReason: '14' }, '3ds_abandoned'],
    [{ transStatusReason: '26', transStatus: 'U' }, '3ds_abandoned'],
    [{ transStatus: 'U' }, '3ds_not_available'],
    ...['13', '20', '22'].map(
      (transStatusReason) => [{ transStatusReason, transStatus: 'N' }, '3ds_not_available'] as const,
    ),
    [{ transStatus: 'N' }, '3ds_failed'],
    [{ transStatus: 'R' }, '3ds_failed'],
    [{ challengeCancel: '02' }, '3ds_failed'],
    [{}, '3ds_failed'],
  ] as const)('%j → %s', (threeDS2Result, expected) => {
    expect(authenticationFailure(result({}, threeDS2Result), false)).toBe(expected);
  });

  it.each([
    [{ threeDOfferedResponse: 'N' }, '3ds_not_available'],
    [{ threeDOfferedResponse: 'U' }, '3ds_not_available'],
    [{ threeDOfferedResponse: 'Y', threeDAuthenticatedResponse: 'U' }, '3ds_not_available'],
    [{ threeDOfferedResponse: 'Y', threeDAuthenticatedResponse: 'N' }, '3ds_failed'],
  ])('%j → %s', (additionalData, expected) => {
    expect(authenticationFailure(result(additionalData), false)).toBe(expected);
  });

  it.each(['N', 'R'])(
    '%s after a challenge is a failed authentication, whatever the reason',
    (transStatus) => {
      const technical = result({}, { transStatus, transStatusReason: '20' });
      expect(authenticationFailure(technical, true)).toBe('3ds_failed');
      expect(authenticationFailure(technical, false)).toBe('3ds_not_available');
    },
  );
});
