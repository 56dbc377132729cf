import { currencyCodes, currencyExponent } from '@till/contract/currencies';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatAmount, parseAmount } from './money.ts';

const cases: readonly (readonly [number, string, string])[] = [
  [1234, 'EUR', '12.34'],
  [1000, 'JPY', '1000'],
  [0, 'JPY', '0'],
  [0, 'EUR', '0.00'],
  [5, 'EUR', '0.05'],
  [50, 'EUR', '0.50'],
  [100, 'HUF', '1.00'],
  [1, 'BHD', '0.001'],
  [1234567, 'BHD', '1234.567'],
  [12345, 'CLF', '1.2345'],
  [999_999_999_999, 'USD', '9999999999.99'],
  [Number.MAX_SAFE_INTEGER, 'USD', '90071992547409.91'],
  [-5, 'EUR', '-0.05'],
  [-1000, 'JPY', '-1000'],
];

describe('formatAmount', () => {
  it.each(cases)('formats %i %s as %s', (amount, currency, text) => {
    expect(formatAmount(amount, currency)).toBe(text);
  });

  it.each([1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('refuses %d', (amount) => {
    expect(() => formatAmount(amount, 'EUR')).toThrow(RangeError);
  });

  it.each(['XAU', 'eur', 'BGN'])('refuses the currency %s', (currency) => {
    expect(() => formatAmount(100, currency)).toThrow(RangeError);
  });
});

describe('parseAmount', () => {
  it.each(cases)('%i %s is parsed from %s', (amount, currency, text) => {
    expect(parseAmount(text, currency)).toBe(amount);
  });

  it.each([
    ['12', 'EUR', 1200],
    ['12.3', 'EUR', 1230],
    ['-0.00', 'EUR', 0],
  ])('accepts fewer decimals: %s %s', (text, currency, amount) => {
    expect(parseAmount(text, currency)).toBe(amount);
  });

  it.each([
    ['12.345', 'EUR'],
    ['12.340', 'EUR'],
    ['1000.0', 'JPY'],
    ['0.0001', 'BHD'],
  ])('refuses more decimals than the currency has: %s %s', (text, currency) => {
    expect(parseAmount(text, currency)).toBeUndefined();
  });

  it.each(['', ' ', '1,00', '1e3', '+1', '.5', '5.', '01.00', '1.00 ', '0x10', '1.2.3', '--1', 'NaN', '١'])(
    'refuses %j',
    (text) => {
      expect(parseAmount(text, 'EUR')).toBeUndefined();
    },
  );

  it('refuses amounts beyond the safe integers', () => {
    expect(parseAmount('90071992547409.92', 'USD')).toBeUndefined();
    expect(parseAmount('9'.repeat(400), 'JPY')).toBeUndefined();
  });

  it.each(['XAU', 'eur', 'BGN'])('refuses the currency %s', (currency) => {
    expect(parseAmount('1', currency)).toBeUndefined();
  });
});

const currency = fc.constantFrom(...currencyCodes);

describe('formatAmount and parseAmount', () => {
  it('are inverse for every amount and currency', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), currency, (amount, code) => {
        // Adding zero turns the generator's -0 into 0, which is what comes back.
        expect(parseAmount(formatAmount(amount, code), code)).toBe(amount + 0);
      }),
    );
  });

  it('round-trip without loss', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), currency, (amount, code) => {
        const text = formatAmount(amount, code);
        const decimals = text.includes('.') ? text.length - text.indexOf('.') - 1 : 0;
        expect(decimals).toBe(currencyExponent(code));
        expect(BigInt(text.replace('.', ''))).toBe(BigInt(amount));
      }),
    );
  });
});
