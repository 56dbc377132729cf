/**
 * ISO 4217 "List One" as published on 2026-09-17: active codes with minor units, grouped by their number of
 * decimals. Codes without minor units (metals, XDR, XSU, XUA, XBA..XBD, XTS, XXX) are left out, since they
 * cannot have an integer amount. The data is not taken from `Intl`, which returns the number of decimals in
 * everyday use (HUF 0, IDR 0) instead of the standard's.
 */
const codesByExponent: readonly (readonly [exponent: number, codes: string])[] = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [
    2,
    `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY
     COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS
     INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR
     MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP
     STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG`,
  ],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
];

const exponents: ReadonlyMap<string, number> = new Map(
  codesByExponent.flatMap(([exponent, codes]) =>
    codes.split(/\s+/).map((code): [string, number] => [code, exponent]),
  ),
);

/** Every accepted currency code, in uppercase. */
export const currencyCodes: readonly string[] = [...exponents.keys()];

/**
 * Number of decimals between the currency's unit and its minor unit (ISO 4217). Undefined for a code that is
 * not active, has no minor units, or is not in uppercase (decisions, "Payments").
 */
export function currencyExponent(code: string): number | undefined {
  return exponents.get(code);
}
