/** The upstream's card brands that have another name in our API (Adyen docs, "PaymentMethodVariant"). */
const renamedBrands: ReadonlyMap<string, string> = new Map([
  ['mc', 'mastercard'],
  ['bcmc', 'bancontact'],
  ['cup', 'unionpay'],
  ['cartebancaire', 'cartes_bancaires'],
]);

/** Our API's lowercase name for a brand that the upstream reported; null if the text is not a brand name. */
export function brandName(upstreamBrand: string | null): string | null {
  const brand = upstreamBrand?.toLowerCase() ?? '';
  if (!/^[a-z][a-z0-9_]{1,29}$/.test(brand)) return null;
  return renamedBrands.get(brand) ?? brand;
}
