import { describe, expect, it } from 'vitest';
import { readAmount } from './details.ts';

describe('an amount that a buyer enters', () => {
  it.each([
    ['12', 'EUR', 1200],
    ['12.5', 'EUR', 1250],
    ['12,50', 'EUR', 1250],
    ['.5', 'EUR', 50],
    ['1 234,50', 'EUR', 123_450],
    ['1.234,50', 'EUR', 123_450],
    ['1,234.50', 'EUR', 123_450],
    ["1'234.50", 'CHF', 123_450],
    ['1.234', 'EUR', 123_400],
    ['1,234,567', 'EUR', 123_456_700],
    ['1,500', 'JPY', 1500],
    ['1500', 'JPY', 1500],
    ['1.500', 'KWD', 1500],
    ['1,5', 'KWD', 1500],
    ['007', 'EUR', 700],
    ['١٢٫٥٠', 'EUR', 1250],
    ['１２', 'EUR', 1200],
    ['€12', 'EUR', 1200],
    ['12,50 €', 'EUR', 1250],
    ['EUR 12', 'EUR', 1200],
    ['12 eur', 'EUR', 1200],
    ['$12', 'CAD', 1200],
    ['CA$12', 'CAD', 1200],
    ['¥1,500', 'JPY', 1500],
    ['kr 12', 'SEK', 1200],
  ])('%s %s is read as people write it', (typed, currency, amount) => {
    expect(readAmount(typed, currency)).toBe(amount);
  });

  it.each([
    ['ten', 'EUR'],
    ['1e3', 'EUR'],
    ['-5', 'EUR'],
    ['12.345.6', 'EUR'],
    ['12,', 'EUR'],
    ['12.5', 'JPY'],
    ['1.234,567', 'EUR'],
    ['€12', 'USD'],
    ['CA$12', 'USD'],
    ['12 USD', 'EUR'],
    ['€12€', 'EUR'],
    ['€', 'EUR'],
    ['0x10', 'EUR'],
  ])('%s %s is none', (typed, currency) => {
    expect(readAmount(typed, currency)).toBeUndefined();
  });
});
