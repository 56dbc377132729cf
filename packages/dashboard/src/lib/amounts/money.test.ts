import { describe, expect, it } from 'vitest';
import { exponentOf, formatMoney, fromDecimal, toDecimal } from './money.ts';

describe('an amount in minor units', () => {
  it.each([
    [1234, 'EUR', '12.34'],
    [5, 'EUR', '0.05'],
    [-5, 'EUR', '-0.05'],
    [1000, 'JPY', '1000'],
    [1500, 'KWD', '1.500'],
    [1234, 'HUF', '12.34'],
    [1234, 'IDR', '12.34'],
    [12345, 'CLF', '1.2345'],
    [999_999_999_999, 'EUR', '9999999999.99'],
  ])('%i %s is written %s', (amount, currency, text) => {
    expect(toDecimal(amount, currency)).toBe(text);
    if (amount > 0) expect(fromDecimal(text, currency)).toBe(amount);
  });

  it('is shown with the decimals of the standard, not with those of Intl', () => {
    expect(formatMoney(1234, 'HUF', 'en')).toContain('12.34');
    expect(formatMoney(123_456, 'IDR', 'en')).toContain('1,234.56');
    expect(formatMoney(1000, 'JPY', 'en')).toBe('¥1,000');
    expect(formatMoney(1500, 'KWD', 'de')).toContain('1,500');
    expect(exponentOf('TND')).toBe(3);
  });

  it('is read from what people type and never rounded', () => {
    expect(fromDecimal('12,5', 'EUR')).toBe(1250);
    expect(fromDecimal("1'000.00", 'CHF')).toBe(100_000);
    expect(fromDecimal('12.', 'EUR')).toBe(1200);
    expect(fromDecimal('1.234', 'EUR')).toBeUndefined();
    expect(fromDecimal('1.5', 'JPY')).toBeUndefined();
    expect(fromDecimal('-1', 'EUR')).toBeUndefined();
    expect(fromDecimal('1e3', 'EUR')).toBeUndefined();
    expect(fromDecimal('', 'EUR')).toBeUndefined();
    expect(fromDecimal('99999999999999999', 'EUR')).toBeUndefined();
  });
});
