import { describe, expect, it } from 'vitest';
import { toUpstreamAmount } from './money.ts';

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
