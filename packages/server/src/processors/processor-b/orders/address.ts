import type { Address } from '@till/contract';
import { cut, filled } from '../../wire/text.ts';

export interface UpstreamAddress {
  readonly address_line_1: string;
  readonly address_line_2?: string | undefined;
  readonly admin_area_2: string;
  readonly admin_area_1?: string | undefined;
  readonly postal_code: string;
  readonly country_code: string;
}

const countriesWithState: ReadonlySet<string> = new Set(['US', 'CA']);

/**
 * Converts an address to the upstream's form. Returns undefined if the street, city, postal code, country or (in the US and
 * Canada) the state is missing, because an incomplete address would fail the payment (PayPal REST Orders v2,
 * address_portable).
 */
export function upstreamAddress(address: Address | null): UpstreamAddress | undefined {
  const line1 = filled(address?.line1);
  const city = filled(address?.city);
  const postalCode = filled(address?.postal_code);
  const state = filled(address?.state);
  const country = address?.country ?? '';
  const stateMissing = state === undefined && countriesWithState.has(country);
  if (line1 === undefined || city === undefined || postalCode === undefined || stateMissing) return undefined;
  if (!/^[A-Z]{2}$/.test(country) || postalCode.length > 60) return undefined;
  return {
    address_line_1: cut(line1, 300),
    address_line_2: filled(address?.line2),
    admin_area_2: cut(city, 120),
    admin_area_1: state,
    postal_code: postalCode,
    country_code: country,
  };
}

/**
 * Like `upstreamAddress`, for a card's billing address: there China has another country code (PayPal REST Orders v2,
 * country_code).
 */
export function cardAddress(address: Address | null): UpstreamAddress | undefined {
  const upstream = upstreamAddress(address);
  return upstream?.country_code === 'CN' ? { ...upstream, country_code: 'C2' } : upstream;
}
