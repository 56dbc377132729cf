/** Conversion of amounts between an upstream's format and the merchant's minor units (ISO 4217). */

const decimals: ReadonlyMap<string, number> = new Map(
  (
    [
      [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
      [3, 'BHD IQD JOD KWD LYD OMR TND'],
      [4, 'CLF UYW'],
    ] as const
  ).flatMap(([exponent, codes]) => codes.split(' ').map((code): [string, number] => [code, exponent])),
);

/** Number of decimals of a currency (ISO 4217). */
export function isoExponent(currency: string): number {
  return decimals.get(currency) ?? 2;
}

/** Currencies whose minor units at Adyen differ from ISO 4217 (Adyen docs, "Currency codes"). */
const adyenExponents: ReadonlyMap<string, number> = new Map([
  ['CLP', 2],
  ['ISK', 2],
  ['CVE', 0],
  ['IDR', 0],
]);

/**
 * Converts an Adyen amount to the merchant's minor units. Returns undefined if the result is not an integer.
 */
export function fromAdyenUnits(value: number, currency: string): number | undefined {
  const iso = isoExponent(currency);
  const adyen = adyenExponents.get(currency) ?? iso;
  const amount = adyen > iso ? value / 10 ** (adyen - iso) : value * 10 ** (iso - adyen);
  return Number.isSafeInteger(amount) ? amount : undefined;
}

/** Currencies without decimals at PayPal (PayPal docs, "Currency codes"). */
const wholeOnPayPal: ReadonlySet<string> = new Set(['HUF', 'TWD', 'JPY']);

/** Number of decimals that PayPal accepts for any other currency. */
const payPalDecimalsMax = 2;

/** The maximum number of decimals of a PayPal amount. */
export function payPalDecimals(currency: string): number {
  return wholeOnPayPal.has(currency) ? 0 : Math.min(isoExponent(currency), payPalDecimalsMax);
}

/**
 * Converts a decimal string in the currency's main unit to the merchant's minor units. Returns undefined if
 * it is malformed or has too many decimals.
 */
export function fromDecimal(text: string, currency: string): number | undefined {
  const match = /^(\d*)(?:\.(\d+))?$/.exec(text);
  const [, whole = '', fraction = ''] = match ?? [];
  const exponent = isoExponent(currency);
  if (match === null || fraction.length > exponent) return undefined;
  const amount = Number(`${whole}${fraction.padEnd(exponent, '0')}`);
  return Number.isSafeInteger(amount) ? amount : undefined;
}
