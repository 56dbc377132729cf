import { describe, expect, it } from 'vitest';
import { authenticationResult, authenticationVerdict, finalFailure, threeDSecure } from './three-d-secure.ts';

const none = null;
const result = (enrollment: string | null, authentication: string | null, liabilityShift: string | null) => ({
  enrollment,
  authentication,
  liabilityShift,
});

describe('authenticationVerdict', () => {
  it.each([
    ['Y', 'Y', 'POSSIBLE', 'proceed', 'proceed'],
    ['Y', 'Y', 'YES', 'proceed', 'proceed'],
    ['Y', 'A', 'POSSIBLE', 'proceed', 'proceed'],
    ['Y', 'N', 'NO', '3ds_failed', '3ds_failed'],
    ['Y', 'R', 'NO', '3ds_failed', '3ds_failed'],
    ['Y', 'U', 'UNKNOWN', '3ds_not_available', '3ds_not_available'],
    ['Y', 'U', 'NO', '3ds_not_available', '3ds_not_available'],
    ['Y', 'C', 'UNKNOWN', 'wait', 'wait'],
    ['Y', none, 'NO', '3ds_abandoned', '3ds_abandoned'],
    ['N', none, 'NO', '3ds_not_available', 'proceed'],
    ['U', none, 'NO', '3ds_not_available', 'proceed'],
    ['U', none, 'UNKNOWN', '3ds_not_available', '3ds_not_available'],
    ['B', none, 'NO', 'proceed', 'proceed'],
    [none, none, 'UNKNOWN', '3ds_not_available', '3ds_not_available'],
    // Beyond the published rows: a result that looks like less than a success does not charge.
    ['Y', 'Y', 'NO', '3ds_not_available', 'proceed'],
    ['Y', 'N', 'POSSIBLE', '3ds_failed', '3ds_failed'],
    ['Y', 'D', 'UNKNOWN', 'wait', 'wait'],
    ['Y', 'I', 'NO', '3ds_not_available', '3ds_not_available'],
    [none, none, 'NO', '3ds_not_available', '3ds_not_available'],
    ['?', '?', '?', '3ds_not_available', '3ds_not_available'],
  ])('%s %s %s → %s where required, %s where optional', (enrolled, status, shift, always, may) => {
    const read = result(enrolled, status, shift);
    expect(authenticationVerdict(read, 'always')).toBe(always);
    expect(authenticationVerdict(read, 'automatic')).toBe(may);
    expect(authenticationVerdict(read, 'never')).toBe(may);
  });

  it('accepts a card without a result', () => {
    expect(authenticationVerdict(null, 'always')).toBe('proceed');
  });
});

describe('finalFailure', () => {
  it.each([
    [result('Y', 'N', 'NO'), '3ds_failed'],
    [result('Y', null, 'NO'), '3ds_abandoned'],
    [result('Y', 'C', 'UNKNOWN'), undefined],
    [result('Y', null, 'UNKNOWN'), undefined],
    [result('N', null, 'NO'), undefined],
    [null, undefined],
  ])('%j → %s', (read, expected) => {
    expect(finalFailure(read, 'automatic')).toBe(expected);
  });
});

describe('authenticationResult and threeDSecure', () => {
  const read = (authentication_result: unknown) =>
    threeDSecure(authenticationResult({ authentication_result }));

  it('keeps the upstream’s values verbatim', () => {
    expect(
      read({
        liability_shift: 'POSSIBLE',
        three_d_secure: { enrollment_status: 'Y', authentication_status: 'A' },
      }),
    ).toEqual({ liability_shift: 'POSSIBLE', enrollment_status: 'Y', authentication_status: 'A' });
  });

  it('UNKNOWN for a missing liability shift; omits other missing fields', () => {
    expect(read({ three_d_secure: { enrollment_status: 'U' } })).toEqual({
      liability_shift: 'UNKNOWN',
      enrollment_status: 'U',
    });
  });

  it.each([undefined, null, {}, { three_d_secure: {} }])('null for %j', (value) => {
    expect(read(value)).toBeNull();
  });
});
