import { isExpired, normaliseCardNumber, passesLuhn } from '../../../lib/cards.ts';
import { westernDigits } from '../../../lib/text/digits.ts';
import type { Card } from '../../../processors/port/port.ts';
import type { TextKey } from '../texts/texts.ts';

export type FieldName = 'number' | 'expiry' | 'cvc' | 'name';
/** The text that describes the error of each field. */
export type FieldErrors = Partial<Record<FieldName, TextKey>>;

const digits = (text: string) => /^\d+$/.test(text);

function readNumber(text: string): { value: string; error?: TextKey } {
  const value = normaliseCardNumber(westernDigits(text).replaceAll(/\s/g, ' '));
  if (value === '') return { value, error: 'number_empty' };
  if (!digits(value) || value.length > 19) return { value, error: 'number_wrong' };
  if (value.length < 12) return { value, error: 'number_short' };
  return passesLuhn(value) ? { value } : { value, error: 'number_wrong' };
}

/** Month and year as people and browsers write them: `3/30`, `03/30`, `0330`, `03/2030`, `2030-03`. */
const expiryForms = [
  /^(?<month>\d{1,2})\s*[/. -]\s*(?<year>\d{2}|\d{4})$/,
  /^(?<month>\d{2})(?<year>\d{2}|\d{4})$/,
  /^(?<year>\d{4})-(?<month>\d{2})$/,
];

function readExpiry(text: string, now: Date): { month: number; year: number; error?: TextKey } {
  const written = westernDigits(text);
  const parts = expiryForms.map((form) => form.exec(written)?.groups).find((groups) => groups !== undefined);
  const month = Number(parts?.month);
  const short = parts?.year ?? '';
  const year = short.length === 2 ? 2000 + Number(short) : Number(short);
  if (parts === undefined || month < 1 || month > 12) return { month: 0, year: 0, error: 'expiry_empty' };
  return isExpired(month, year, now) ? { month, year, error: 'expiry_past' } : { month, year };
}

function readName(text: string): { value: string; error?: TextKey } {
  // A card number or security code in the name field would be sent and stored where it must not.
  const western = westernDigits(text);
  const looksLikeCard = western.replaceAll(/\D/g, '').length > 11 || /^\d{3,4}$/.test(western);
  return text === '' || text.length > 100 || looksLikeCard
    ? { value: text, error: 'name_wrong' }
    : { value: text };
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
  const cvc = westernDigits(field('cvc')).replaceAll(/\s/g, '');
  const errors: FieldErrors = {
    ...(number.error === undefined ? {} : { number: number.error }),
    ...(expiry.error === undefined ? {} : { expiry: expiry.error }),
    ...(digits(cvc) && cvc.length === cvcLength
      ? {}
      : { cvc: cvcLength === 4 ? 'cvc_wrong_4' : 'cvc_wrong_3' }),
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
