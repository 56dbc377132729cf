import { describe, expect, it } from 'vitest';
import { cardNumberIn, holdsCardNumber, holdsNumber, westernDigits } from './digits.ts';

/** A number that passes the Luhn check, but belongs to no real card. */
const number = '4532015112830366';

describe('the digits of every script', () => {
  it.each([
    ['٤١٥', '415'],
    ['۴۱۵', '415'],
    ['４１５', '415'],
    ['४१५', '415'],
    ['๔๑๕', '415'],
    ['𝟒𝟙𝟻', '415'],
    ['a 4-1 b', 'a 4-1 b'],
  ])('of %s are %s', (text, western) => {
    expect(westernDigits(text)).toBe(western);
  });
});

describe('a card number in text', () => {
  it.each([
    number,
    `Jane ${number} Smith`,
    '4532 0151 1283 0366',
    '4532-0151-1283-0366',
    '4532.0151/1283_0366',
    '4 5 3 2 0 1 5 1 1 2 8 3 0 3 6 6',
    `12 34 ${number} 99`,
    '٤٥٣٢٠١٥١١٢٨٣٠٣٦٦',
    '4532\u200b0151\u200b1283\u200b0366',
  ])('is found: %s', (text) => {
    expect(holdsCardNumber(text)).toBe(true);
    expect(holdsNumber(text, number)).toBe(true);
  });

  it.each([
    '',
    'Jane Smith',
    'Jane Smith 2nd',
    '4532015112830367',
    '4532 0151 1283',
    '4532 0151 1283 0367',
    '4532x0151x1283x0366',
  ])('is not found in "%s"', (text) => {
    expect(holdsCardNumber(text)).toBe(false);
    expect(holdsNumber(text, number)).toBe(false);
  });

  it('needs 13 digits, also in long texts', () => {
    expect(holdsCardNumber('0'.repeat(12))).toBe(false);
    expect(holdsCardNumber(`${'x7'.repeat(100_000)}x${number}`)).toBe(true);
    expect(holdsCardNumber('1'.repeat(200_000))).toBe(false);
    expect(holdsNumber('7'.repeat(200_000), number)).toBe(false);
  });
});

describe('the card number of a request field', () => {
  const at = 'payment_method.number';

  it('is its digits, with any separators', () => {
    expect(cardNumberIn({ payment_method: { number: ' 4532-0151 1283 0366 ' } }, at)).toBe(number);
  });

  it.each([
    {},
    { payment_method: null },
    { payment_method: 'x' },
    { payment_method: { number: 5 } },
    null,
    [],
  ])('none in %j', (body) => {
    expect(cardNumberIn(body, at)).toBeUndefined();
  });
});
