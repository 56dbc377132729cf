import { currencyExponent } from '../../lib/currencies.ts';

/** Decimals of the currencies whose minor unit upstream is not that of ISO 4217 (Adyen docs, "Currency codes"). */
const upstreamExponents: ReadonlyMap<string, number> = new Map([
  ['CLP', 2],
  ['CVE', 0],
  ['IDR', 0],
  ['ISK', 2],
]);

/**
 * An amount in ISO 4217 minor units as an integer in the upstream's own minor units, or undefined where the upstream
 * cannot express it: an unknown currency, or decimals that the upstream does not take.
 */
export function toUpstreamAmount(amount: number, currency: string): number | undefined {
  const exponent = currencyExponent(currency);
  if (exponent === undefined) {
    return undefined;
  }
  const shift = (upstreamExponents.get(currency) ?? exponent) - exponent;
  if (shift >= 0) {
    return amount * 10 ** shift;
  }
  const divisor = 10 ** -shift;
  return amount % divisor === 0 ? amount / divisor : undefined;
}
