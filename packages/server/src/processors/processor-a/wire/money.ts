import { currencyExponent } from '@till/contract/currencies';
import { type JsonObject, jsonText } from '../../wire/json.ts';

/** Decimals of the currencies for which the upstream's minor unit differs from ISO 4217 (Adyen docs, "Currency codes"). */
const upstreamExponents: ReadonlyMap<string, number> = new Map([
  ['CLP', 2],
  ['CVE', 0],
  ['IDR', 0],
  ['ISK', 2],
]);

/** How many more decimals the upstream's minor unit has than ISO 4217's; undefined for an unknown currency. */
function extraDecimals(currency: string): number | undefined {
  const exponent = currencyExponent(currency);
  return exponent === undefined ? undefined : (upstreamExponents.get(currency) ?? exponent) - exponent;
}

/**
 * Converts an amount in ISO 4217 minor units to an integer in the upstream's own minor units. Undefined if the upstream
 * cannot express it: an unknown currency, or decimals that the upstream does not accept.
 */
export function toUpstreamAmount(amount: number, currency: string): number | undefined {
  const shift = extraDecimals(currency);
  return shift === undefined ? undefined : scaled(amount, shift);
}

/** Converts an upstream amount object to ISO 4217 minor units; undefined if it is invalid or not a whole number of them. */
export function fromUpstreamAmount(object: JsonObject): { amount: number; currency: string } | undefined {
  const currency = jsonText(object, 'currency') ?? '';
  const { value } = object;
  const shift = extraDecimals(currency);
  if (shift === undefined || typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    return undefined;
  }
  const amount = scaled(value, -shift);
  return amount === undefined ? undefined : { amount, currency };
}

/** Shifts an amount by `shift` decimals; undefined if removing decimals would lose a fraction. */
function scaled(amount: number, shift: number): number | undefined {
  if (shift >= 0) return amount * 10 ** shift;
  const divisor = 10 ** -shift;
  return amount % divisor === 0 ? amount / divisor : undefined;
}
