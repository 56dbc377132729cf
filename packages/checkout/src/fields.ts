import {
  codeLength,
  digitsOf,
  maxNumberLength,
  minNumberLength,
  passesLuhn,
  westernDigits,
} from './cards.ts';
import { readExpiry } from './expiry.ts';

export type FieldName = 'number' | 'expiry' | 'cvc' | 'name';
export const fieldNames: readonly FieldName[] = ['number', 'expiry', 'cvc', 'name'];

/** The values of the form, by field name. */
export type Values = Readonly<Record<FieldName, string>>;

/**
 * The validation error of a field, named like the `data-` attribute with its text; null in the functions below means
 * valid.
 */
export type Fault = 'empty' | 'short' | 'wrong' | 'past' | 'wrong3' | 'wrong4';

function checkNumber(text: string): Fault | null {
  const digits = digitsOf(text);
  if (text.trim() === '') return 'empty';
  if (/[^\d\s-]/.test(westernDigits(text)) || digits.length > maxNumberLength) return 'wrong';
  if (digits.length < minNumberLength) return 'short';
  return passesLuhn(digits) ? null : 'wrong';
}

function checkExpiry(text: string, thisMonth: number): Fault | null {
  const month = readExpiry(text);
  if (month === null) return 'empty';
  return month < thisMonth ? 'past' : null;
}

function checkCode(text: string, number: string): Fault | null {
  const length = codeLength(digitsOf(number));
  const code = westernDigits(text.replace(/\s/g, ''));
  if (/^\d+$/.test(code) && code.length === length) return null;
  return length === 4 ? 'wrong4' : 'wrong3';
}

/** Rejects a card number or security code in the name field, because a name is stored and displayed. */
function checkName(text: string): Fault | null {
  const name = westernDigits(text.trim());
  const isCard = name.replace(/\D/g, '').length > 11 || /^\d{3,4}$/.test(name);
  return name === '' || name.length > 100 || isCard ? 'wrong' : null;
}

/**
 * Validates a field by the same rules as the server.
 * @param thisMonth the current month by the account's clock, e.g. 202611
 */
export function checkField(name: FieldName, values: Values, thisMonth: number): Fault | null {
  switch (name) {
    case 'number':
      return checkNumber(values.number);
    case 'expiry':
      return checkExpiry(values.expiry, thisMonth);
    case 'cvc':
      return checkCode(values.cvc, values.number);
    case 'name':
      return checkName(values.name);
  }
}
