import { currencyExponent } from '@till/contract/currencies';

const decimal = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?$/;

/**
 * Formats an amount in minor units as an exact decimal string in the currency's unit: `12.34` for 1234 EUR, `1000` for
 * 1000 JPY. Always shows all of the currency's decimals.
 * @throws RangeError for an unknown currency or an amount that is not a safe integer, since neither passes validation
 */
export function formatAmount(amount: number, currency: string): string {
  const exponent = currencyExponent(currency);
  if (exponent === undefined) throw new RangeError(`unknown currency ${currency}`);
  if (!Number.isSafeInteger(amount)) throw new RangeError(`not an amount in minor units: ${amount}`);
  const sign = amount < 0 ? '-' : '';
  const digits = Math.abs(amount)
    .toString()
    .padStart(exponent + 1, '0');
  if (exponent === 0) return sign + digits;
  return `${sign}${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}

/**
 * Parses a decimal string in the currency's unit to minor units. Returns undefined for an unknown currency, for text that is
 * not a plain decimal number, for more decimals than the currency has (nothing is ever rounded), and for an amount that a
 * number cannot represent exactly.
 */
export function parseAmount(text: string, currency: string): number | undefined {
  const exponent = currencyExponent(currency);
  const match = decimal.exec(text);
  if (exponent === undefined || match === null) return undefined;
  const [, sign, whole, fraction = ''] = match;
  if (fraction.length > exponent) return undefined;
  const amount = Number(`${whole}${fraction.padEnd(exponent, '0')}`);
  if (!Number.isSafeInteger(amount)) return undefined;
  // `0 - amount` and not `-amount`: "-0.00" is zero, not negative zero.
  return sign === '-' ? 0 - amount : amount;
}
