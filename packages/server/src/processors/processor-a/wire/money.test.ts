import { describe, expect, it } from 'vitest';
import { fromUpstreamAmount, toUpstreamAmount } from './money.ts';

describe('toUpstreamAmount', () => {
  it.each([
    ['EUR', 4999, 4999],
    ['JPY', 500, 500],
    ['BHD', 1234, 1234],
    ['CLP', 500, 50_000],
    ['ISK', 1, 100],
    ['CLP', 999_999_999_999, 99_999_999_999_900],
    ['CVE', 12_300, 123],
    ['CVE', 12_350, undefined],
    ['IDR', 1_500_000, 15_000],
    ['IDR', 1_500_001, undefined],
    ['IDR', 0, 0],
    ['XXX', 100, undefined],
  ])('%s %i → %j', (currency, amount, expected) => {
    expect(toUpstreamAmount(amount, currency)).toBe(expected);
  });
});

describe('fromUpstreamAmount', () => {
  it.each([
    ['EUR', 4999, 4999],
    ['EUR', 0, 0],
    ['CLP', 50_000, 500],
    ['CVE', 123, 12_300],
  ])('%s %i → %i', (currency, value, amount) => {
    expect(fromUpstreamAmount({ currency, value })).toEqual({ amount, currency });
    expect(toUpstreamAmount(amount, currency)).toBe(value);
  });

  it.each<Record<string, unknown>>([
    { currency: 'CLP', value: 50_001 },
    { currency: 'EUR', value: -1 },
    { currency: 'EUR', value: 1.5 },
    { currency: 'EUR', value: '100' },
    { currency: 'EUR', value: 2 ** 53 },
    { currency: 'XXX', value: 100 },
    { value: 100 },
    {},
  ])('undefined for %j', (object) => {
    expect(fromUpstreamAmount(object)).toBeUndefined();
  });
});
