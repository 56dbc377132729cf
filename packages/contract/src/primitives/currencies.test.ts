import { describe, expect, it } from 'vitest';
import { currencyCodes, currencyExponent } from './currencies.ts';

describe('currencyExponent', () => {
  it.each([
    ['EUR', 2],
    ['USD', 2],
    ['JPY', 0],
    ['ISK', 0],
    ['CLP', 0],
    ['XOF', 0],
    ['UYI', 0],
    ['BHD', 3],
    ['IQD', 3],
    ['CLF', 4],
    ['UYW', 4],
    // Currencies for which `Intl` returns a different number.
    ['HUF', 2],
    ['IDR', 2],
    ['TWD', 2],
    ['AFN', 2],
    ['LAK', 2],
    // One unit has five subunits, but the standard lists two decimals.
    ['MRU', 2],
    ['MGA', 2],
    // The most recent ones.
    ['VED', 2],
    ['VES', 2],
    ['SLE', 2],
    ['ZWG', 2],
    ['XCG', 2],
    ['XAD', 2],
  ])('gives %s %i decimals', (code, exponent) => {
    expect(currencyExponent(code)).toBe(exponent);
  });

  it.each(['XAU', 'XAG', 'XPT', 'XPD', 'XXX', 'XTS', 'XDR', 'XSU', 'XUA', 'XBA', 'XBB', 'XBC', 'XBD'])(
    'does not know %s, which has no minor units',
    (code) => {
      expect(currencyExponent(code)).toBeUndefined();
    },
  );

  it.each(['BGN', 'HRK', 'CUC', 'SLL', 'ANG', 'ZWL', 'BYR', 'MRO', 'STD', 'VEF', 'LTL', 'DEM'])(
    'does not know %s, which is withdrawn',
    (code) => {
      expect(currencyExponent(code)).toBeUndefined();
    },
  );

  it.each(['', 'eur', 'EU', 'EURO', ' EUR', 'toString', '__proto__', 'constructor'])(
    'does not know %j',
    (code) => {
      expect(currencyExponent(code)).toBeUndefined();
    },
  );

  it('holds the 165 codes of List One that have minor units', () => {
    expect(currencyCodes).toHaveLength(165);
    for (const code of currencyCodes) expect(code).toMatch(/^[A-Z]{3}$/);
  });
});
