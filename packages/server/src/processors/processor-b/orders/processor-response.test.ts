import { failureCodes } from '@till/contract';
import { describe, expect, it } from 'vitest';
import { avsVerdict, processorFailure, responseMeanings } from './processor-response.ts';

describe('processorFailure', () => {
  it('maps each published code once', () => {
    expect(responseMeanings.size).toBe(154);
    for (const meaning of responseMeanings.values()) {
      expect(['approved', ...failureCodes]).toContain(meaning);
    }
  });

  it.each([
    ['0500', 'do_not_honor'],
    ['5120', 'insufficient_funds'],
    ['5400', 'expired_card'],
    ['PPEX', 'expired_card'],
    ['00N7', 'invalid_cvv'],
    ['PCVV', 'invalid_cvv'],
    ['1330', 'invalid_card'],
    ['PPFI', 'invalid_card'],
    ['5180', 'restricted_card'],
    ['PPDI', 'restricted_card'],
    ['9520', 'lost_card'],
    ['5150', 'pickup_card'],
    ['5650', 'refused'],
    ['9500', 'refused'],
    ['7710', '3ds_failed'],
    ['7700', '3ds_not_available'],
    ['1000', 'declined'],
    ['5100', 'declined'],
    ['PPS6', 'declined'],
    ['new code', 'declined'],
    ['constructor', 'declined'],
    ['0000', null],
    ['7600', null],
    [undefined, null],
  ])('%s → %s', (response_code, expected) => {
    expect(processorFailure({ response_code })).toBe(expected);
  });
});

describe('avsVerdict', () => {
  it.each([
    ['A', 'match', 'no_match'],
    ['B', 'match', 'not_checked'],
    ['C', 'no_match', 'no_match'],
    ['D', 'match', 'match'],
    ['E', 'not_checked', 'not_checked'],
    ['F', 'match', 'match'],
    ['G', 'not_checked', 'not_checked'],
    ['I', 'not_checked', 'not_checked'],
    ['M', 'match', 'match'],
    ['N', 'no_match', 'no_match'],
    ['P', 'not_checked', 'match'],
    ['R', 'not_checked', 'not_checked'],
    ['S', 'not_checked', 'not_checked'],
    ['U', 'not_checked', 'not_checked'],
    ['W', 'no_match', 'match'],
    ['X', 'match', 'match'],
    ['Y', 'match', 'match'],
    ['Z', 'no_match', 'match'],
    ['Null', 'not_checked', 'not_checked'],
    ['0', 'match', 'match'],
    ['1', 'no_match', 'no_match'],
    ['2', 'not_checked', 'not_checked'],
    ['3', 'not_checked', 'not_checked'],
    ['4', 'not_checked', 'not_checked'],
    ['K', 'not_checked', 'not_checked'],
  ])('%s → %s, %s', (avs_code, address, postal_code) => {
    expect(avsVerdict({ avs_code }, 'visa')).toEqual({
      code: avs_code,
      address,
      postal_code,
      cvc: 'not_checked',
    });
  });

  it.each([
    ['E', 'match', 'match'],
    ['F', 'match', 'not_checked'],
    ['W', 'no_match', 'no_match'],
    ['X', 'no_match', 'no_match'],
    ['Y', 'match', 'match'],
  ])('%s of American Express: %s, %s', (avs_code, address, postal_code) => {
    expect(avsVerdict({ avs_code }, 'amex')).toMatchObject({ address, postal_code });
  });

  it.each([
    ['match', ['M', '0']],
    ['no_match', ['N', '1']],
    ['not_checked', ['E', 'I', 'P', 'S', 'U', 'X', 'All others', '2', '3', '4', undefined]],
  ])('maps as %s the security codes %j', (cvc, codes) => {
    for (const cvv_code of codes) {
      expect(avsVerdict({ avs_code: 'Y', cvv_code }, null)).toMatchObject({ cvc });
    }
  });

  it('null where the issuer did not answer', () => {
    expect(avsVerdict({ cvv_code: 'M' }, 'visa')).toBeNull();
    expect(avsVerdict({}, null)).toBeNull();
  });
});
