import { describe, expect, it } from 'vitest';
import { brandOf, digitsOf, formatNumber, passesLuhn } from './cards.ts';
import { regroup } from './caret.ts';
import { formatExpiry, readExpiry } from './expiry.ts';
import { checkField } from './fields.ts';

describe('a card number', () => {
  it.each([
    ['4', '4', 'visa'],
    ['41111', '4111 1', 'visa'],
    ['378282246310005', '3782 822463 10005', 'amex'],
    ['36006666333344', '3600 666633 3344', 'diners'],
    ['5555555555554444', '5555 5555 5555 4444', 'mastercard'],
    ['2720990000000000', '2720 9900 0000 0000', 'mastercard'],
    ['6304000000000000123', '6304 0000 0000 0000 123', 'maestro'],
    ['9', '9', null],
  ])('%s is written %s', (digits, text, brand) => {
    expect(formatNumber(digits)).toBe(text);
    expect(digitsOf(text)).toBe(digits);
    expect(brandOf(digits)).toBe(brand);
  });

  it('ends in its check digit', () => {
    expect(passesLuhn('4111111111111111')).toBe(true);
    expect(passesLuhn('4111111111111112')).toBe(false);
    expect(passesLuhn('')).toBe(false);
  });

  it.each([
    // [text after the edit, caret, digits before the edit, input type, expected text, expected caret]
    ['41111', 5, '4111', 'insertText', '4111 1', 6],
    ['4111 1111', 4, '41111111', 'insertText', '4111 1111', 4],
    ['41111111', 4, '41111111', 'deleteContentBackward', '4111 111', 3],
    ['41111111', 4, '41111111', 'deleteContentForward', '4111 111', 4],
    ['4111 1 111', 6, '41111111', 'insertText', '4111 1111', 6],
    ['', 0, '4', 'deleteContentBackward', '', 0],
  ])('keeps the caret: %j', (value, caret, before, inputType, text, expected) => {
    expect(regroup(value, caret, before, inputType)).toEqual({ text, caret: expected });
  });
});

describe('an expiry date', () => {
  it.each([
    ['0', false, '0'],
    ['1', false, '1'],
    ['3', false, '03/'],
    ['13', false, '01/3'],
    ['12', false, '12/'],
    ['12', true, '12'],
    ['03/3', true, '03/3'],
    ['1/', false, '01/'],
    ['03//30', false, '03/30'],
    ['0330', false, '03/30'],
    ['032030', false, '03/2030'],
    ['2030-03', false, '03/2030'],
    ['٠٣٣٠', false, '03/30'],
    ['', false, ''],
  ])('%j (deleting: %s) is written %j', (text, deleting, shown) => {
    expect(formatExpiry(text, deleting)).toBe(shown);
  });

  it.each([
    ['03/30', 203003],
    ['3/2030', 203003],
    ['13/30', null],
    ['03/3', null],
    ['03/', null],
    ['', null],
  ])('%j is read as %s', (text, month) => {
    expect(readExpiry(text)).toBe(month);
  });
});

describe('a field', () => {
  const good = { number: '4111 1111 1111 1111', expiry: '03/30', cvc: '737', name: 'Jane Smith' };
  it.each([
    ['number', {}, null],
    ['number', { number: ' ' }, 'empty'],
    ['number', { number: '4111' }, 'short'],
    ['number', { number: '4111 1111 1111 1112' }, 'wrong'],
    ['number', { number: 'x4111111111111111' }, 'wrong'],
    ['expiry', { expiry: '10/26' }, 'past'],
    ['expiry', { expiry: '11/26' }, null],
    ['cvc', { cvc: '12' }, 'wrong3'],
    ['cvc', { number: '370000000000002' }, 'wrong4'],
    ['cvc', { cvc: '7 37' }, null],
    ['cvc', { number: '370000000000002', cvc: '1234' }, null],
    ['name', { name: '4111 1111 1111' }, 'wrong'],
    ['name', { name: '737' }, 'wrong'],
  ] as const)('%s of %o: %s', (name, changes, fault) => {
    expect(checkField(name, { ...good, ...changes }, 202611)).toBe(fault);
  });
});
