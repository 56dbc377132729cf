/** The upstream's card brands that have another name here (Adyen docs, "PaymentMethodVariant"). */
const renamedBrands: ReadonlyMap<string, string> = new Map([
  ['mc', 'mastercard'],
  ['bcmc', 'bancontact'],
  ['cup', 'unionpay'],
  ['cartebancaire', 'cartes_bancaires'],
]);

/** The merchant API's lowercase name of a brand that the upstream reported, or null for what is no brand name. */
export function brandName(upstreamBrand: string | null): string | null {
  const brand = upstreamBrand?.toLowerCase() ?? '';
  if (!/^[a-z][a-z0-9_]{1,29}$/.test(brand)) return null;
  return renamedBrands.get(brand) ?? brand;
}
