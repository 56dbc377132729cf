import { describe, expect, it } from 'vitest';
import { isAmount, toMoney } from './money.ts';

describe('toMoney', () => {
  it.each([
    [4999, 'EUR', '49.99'],
    [5, 'USD', '0.05'],
    [1000, 'JPY', '1000'],
    [1000, 'HUF', '10'],
    [123_400, 'TWD', '1234'],
    [0, 'HUF', '0'],
    [1230, 'KWD', '1.23'],
    [999_999_999_999, 'EUR', '9999999999.99'],
  ])('%i %s → %s', (amount, currency, value) => {
    expect(toMoney(amount, currency)).toEqual({ currency_code: currency, value });
  });

  it.each([
    [1050, 'HUF'],
    [1, 'TWD'],
    [1234, 'KWD'],
    [100, 'XXX'],
    [-1, 'EUR'],
    [0.5, 'EUR'],
    [2 ** 53, 'EUR'],
  ])('undefined for %d %s', (amount, currency) => {
    expect(toMoney(amount, currency)).toBeUndefined();
  });
});

describe('isAmount', () => {
  it.each([
    [{ currency_code: 'EUR', value: '49.99' }, true],
    [{ currency_code: 'EUR', value: '49.98' }, false],
    [{ currency_code: 'USD', value: '49.99' }, false],
    [{ currency_code: 'EUR', value: 49.99 }, false],
    [{ currency_code: 'EUR', value: '49.990' }, false],
    [undefined, false],
  ])('%j is 49.99 EUR: %s', (money, expected) => {
    expect(isAmount(money, 4999, 'EUR')).toBe(expected);
  });

  it.each(['10', '10.00'])('accepts %s HUF for 1000 minor units', (value) => {
    expect(isAmount({ currency_code: 'HUF', value }, 1000, 'HUF')).toBe(true);
  });
});
