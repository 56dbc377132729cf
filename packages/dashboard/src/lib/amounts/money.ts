import { currencyExponent } from '@till/contract/currencies';
import { numberFormat } from './formatters.ts';

/** The number of decimals of a currency; 2 for an unknown code, so that a page can always show an amount. */
export const exponentOf = (currency: string): number => currencyExponent(currency) ?? 2;

/** An amount in minor units as an exact decimal string: 1234 EUR → `12.34`. */
export function toDecimal(amount: number, currency: string): string {
  const exponent = exponentOf(currency);
  const digits = String(Math.abs(amount)).padStart(exponent + 1, '0');
  const sign = amount < 0 ? '-' : '';
  return exponent === 0 ? sign + digits : `${sign}${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}

/**
 * Converts an amount that a person typed in major units to minor units. The decimal separator is a comma or a point.
 * Returns undefined if the text is not a plain number or has more decimals than the currency: nothing is rounded.
 */
export function fromDecimal(text: string, currency: string): number | undefined {
  const match = /^(\d+)(?:[.,](\d*))?$/.exec(text.replaceAll(/[\s\u00a0']/g, ''));
  const exponent = exponentOf(currency);
  const fraction = match?.[2] ?? '';
  if (match === null || fraction.length > exponent) return undefined;
  const amount = Number(`${match[1]}${fraction.padEnd(exponent, '0')}`);
  return Number.isSafeInteger(amount) ? amount : undefined;
}

/** Formats an amount in minor units for people, with all decimals of the currency: `€12.34`. */
export function formatMoney(amount: number, currency: string, locale?: string): string {
  const digits = exponentOf(currency);
  const format = numberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return format.format(toDecimal(amount, currency) as Intl.StringNumericLiteral);
}
