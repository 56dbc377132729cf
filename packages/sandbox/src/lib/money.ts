/** Amounts on an upstream's wire and in the merchant's own minor units (ISO 4217). */

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

/** Adyen counts these in other minor units than ISO 4217 (Adyen docs, "Currency codes"). */
const adyenExponents: ReadonlyMap<string, number> = new Map([
  ['CLP', 2],
  ['ISK', 2],
  ['CVE', 0],
  ['IDR', 0],
]);

/** An Adyen amount in the merchant's minor units; undefined where it is no whole number of them. */
export function fromAdyenUnits(value: number, currency: string): number | undefined {
  const iso = isoExponent(currency);
  const adyen = adyenExponents.get(currency) ?? iso;
  const amount = adyen > iso ? value / 10 ** (adyen - iso) : value * 10 ** (iso - adyen);
  return Number.isSafeInteger(amount) ? amount : undefined;
}

/** PayPal takes no decimals for these (PayPal docs, "Currency codes"). */
const wholeOnPayPal: ReadonlySet<string> = new Set(['HUF', 'TWD', 'JPY']);

/** Decimals that it takes of any other. */
const payPalDecimalsMax = 2;

/** How many decimals a PayPal amount may have. */
export function payPalDecimals(currency: string): number {
  return wholeOnPayPal.has(currency) ? 0 : Math.min(isoExponent(currency), payPalDecimalsMax);
}

/** A decimal string in the currency's unit as the merchant's minor units; undefined where it has too many decimals. */
export function fromDecimal(text: string, currency: string): number | undefined {
  const match = /^(\d*)(?:\.(\d+))?$/.exec(text);
  const [, whole = '', fraction = ''] = match ?? [];
  const exponent = isoExponent(currency);
  if (match === null || fraction.length > exponent) return undefined;
  const amount = Number(`${whole}${fraction.padEnd(exponent, '0')}`);
  return Number.isSafeInteger(amount) ? amount : undefined;
}
