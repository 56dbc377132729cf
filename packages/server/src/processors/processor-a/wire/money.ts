import { currencyExponent } from '@till/contract/currencies';
import { type JsonObject, jsonText } from '../../wire/json.ts';

/** Decimals of the currencies whose minor unit upstream is not that of ISO 4217 (Adyen docs, "Currency codes"). */
const upstreamExponents: ReadonlyMap<string, number> = new Map([
  ['CLP', 2],
  ['CVE', 0],
  ['IDR', 0],
  ['ISK', 2],
]);

/** How many more decimals the upstream's minor unit has than that of ISO 4217; undefined for an unknown currency. */
function extraDecimals(currency: string): number | undefined {
  const exponent = currencyExponent(currency);
  return exponent === undefined ? undefined : (upstreamExponents.get(currency) ?? exponent) - exponent;
}

/**
 * An amount in ISO 4217 minor units as an integer in the upstream's own minor units, or undefined where the upstream
 * cannot express it: an unknown currency, or decimals that the upstream does not take.
 */
export function toUpstreamAmount(amount: number, currency: string): number | undefined {
  const shift = extraDecimals(currency);
  return shift === undefined ? undefined : scaled(amount, shift);
}

/** An upstream amount object in ISO 4217 minor units, or undefined where it is none or has a fraction of them. */
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

/** The amount with so many decimals more, or undefined where fewer cannot hold it. */
function scaled(amount: number, shift: number): number | undefined {
  if (shift >= 0) return amount * 10 ** shift;
  const divisor = 10 ** -shift;
  return amount % divisor === 0 ? amount / divisor : undefined;
}
