import { describe, expect, test } from 'vitest';
import { fromAdyenUnits, fromDecimal, isoExponent, payPalDecimals } from './money.ts';

describe('amounts of the upstreams in the merchant’s minor units', () => {
  test.each([
    ['EUR', 1999, 1999],
    ['JPY', 500, 500],
    ['CLP', 50_000, 500],
    ['ISK', 100, 1],
    ['CVE', 5, 500],
    ['IDR', 15_000, 1_500_000],
    ['KWD', 1234, 1234],
    ['CLP', 50_001, undefined],
  ])('processor_a %s %d', (currency, value, minor) => {
    expect(fromAdyenUnits(value, currency)).toBe(minor);
  });

  test.each([
    ['EUR', '19.99', 1999],
    ['EUR', '20', 2000],
    ['EUR', '.5', 50],
    ['EUR', '1.999', undefined],
    ['JPY', '500', 500],
    ['HUF', '500', 50_000],
    ['TND', '1.234', 1234],
    ['USD', '99999999999999999', undefined],
    ['USD', '-1', undefined],
  ])('processor_b %s %s', (currency, text, minor) => {
    expect(fromDecimal(text, currency)).toBe(minor);
  });

  test('know the decimals of a currency', () => {
    expect(['JPY', 'EUR', 'KWD', 'CLF'].map(isoExponent)).toEqual([0, 2, 3, 4]);
    expect(['JPY', 'EUR', 'HUF', 'TWD', 'TND'].map(payPalDecimals)).toEqual([0, 2, 0, 0, 2]);
  });
});
