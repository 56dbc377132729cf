import { isExpired, normaliseCardNumber, passesLuhn } from '../lib/cards.ts';
import type { Card } from '../processors/port.ts';

export type FieldName = 'number' | 'expiry' | 'cvc' | 'name';
export type FieldErrors = Partial<Record<FieldName, string>>;

const digits = (text: string) => /^\d+$/.test(text);

function readNumber(text: string): { value: string; error?: string } {
  const value = normaliseCardNumber(text);
  if (value === '') return { value, error: 'Enter a card number' };
  if (!digits(value) || value.length > 19) return { value, error: 'Check the card number' };
  if (value.length < 12) return { value, error: 'Card number is too short' };
  return passesLuhn(value) ? { value } : { value, error: 'Check the card number' };
}

/** Reads `3/30`, `03/30`, `0330` and `03/2030`. */
function readExpiry(text: string, now: Date): { month: number; year: number; error?: string } {
  const match = /^(\d{1,2})\s*[/ -]\s*(\d{2}|\d{4})$/.exec(text) ?? /^(\d{2})(\d{2}|\d{4})$/.exec(text);
  const month = Number(match?.[1]);
  const short = match?.[2] ?? '';
  const year = short.length === 2 ? 2000 + Number(short) : Number(short);
  if (match === null || month < 1 || month > 12) {
    return { month: 0, year: 0, error: 'Enter an expiry date, like 03/30' };
  }
  return isExpired(month, year, now) ? { month, year, error: 'This card has expired' } : { month, year };
}

function readName(text: string): { value: string; error?: string } {
  // A card number or security code in the name field would travel where it must not.
  const looksLikeCard = text.replaceAll(/\D/g, '').length > 11 || /^\d{3,4}$/.test(text);
  if (text === '' || text.length > 100 || looksLikeCard) {
    return { value: text, error: 'Enter the name as it appears on the card' };
  }
  return { value: text };
}

/** Reads the card form. @param now account time */
export function readCardForm(
  form: URLSearchParams,
  now: Date,
): { card: Card } | { errors: FieldErrors; name: string } {
  const field = (name: string) => (form.get(name) ?? '').trim();
  const number = readNumber(field('number'));
  const expiry = readExpiry(field('expiry'), now);
  const name = readName(field('name'));
  const cvcLength = /^3[47]/.test(number.value) ? 4 : 3;
  const cvc = field('cvc');
  const errors: FieldErrors = {
    ...(number.error === undefined ? {} : { number: number.error }),
    ...(expiry.error === undefined ? {} : { expiry: expiry.error }),
    ...(digits(cvc) && cvc.length === cvcLength
      ? {}
      : { cvc: cvcLength === 4 ? 'Enter the 4 digits on the front' : 'Enter the 3 digits on the back' }),
    ...(name.error === undefined ? {} : { name: name.error }),
  };
  if (Object.keys(errors).length > 0) return { errors, name: name.error === undefined ? name.value : '' };
  return {
    card: {
      number: number.value,
      expMonth: expiry.month,
      expYear: expiry.year,
      cvc,
      holderName: name.value,
    },
  };
}
