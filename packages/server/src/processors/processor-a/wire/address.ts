import type { Address } from '@till/contract';
import { filled } from '../../wire/text.ts';

/** Billing or delivery address in the upstream's form. All members except the state are required together. */
export interface UpstreamAddress {
  readonly street: string;
  readonly houseNumberOrName: string;
  readonly city: string;
  readonly postalCode: string;
  readonly stateOrProvince?: string | undefined;
  readonly country: string;
}

const countriesWithState: ReadonlySet<string> = new Set(['US', 'CA']);

/** Placeholder for a house number that the buyer did not give; the upstream requires one. */
const noHouseNumber = 'NA';

/**
 * Converts an address for `billingAddress` and `deliveryAddress`. Undefined if a required part is missing or malformed: the
 * upstream refuses a payment with an incomplete address and accepts one without any (Adyen API, BillingAddress).
 */
export function upstreamAddress(address: Address | null): UpstreamAddress | undefined {
  const country = addressCountry(address);
  if (address === null || country === undefined) return undefined;
  const street = filled(address.line1);
  const city = filled(address.city);
  const postalCode = upstreamPostalCode(address.postal_code, country);
  const stateOrProvince = upstreamState(address.state, country);
  const stateMissing = stateOrProvince === undefined && countriesWithState.has(country);
  if (street === undefined || city === undefined || postalCode === undefined || stateMissing) {
    return undefined;
  }
  const houseNumberOrName = filled(address.line2) ?? noHouseNumber;
  return { street, houseNumberOrName, city, postalCode, stateOrProvince, country };
}

/** The address's country as an ISO 3166-1 alpha-2 code; undefined if it has none. */
export function addressCountry(address: Address | null): string | undefined {
  const country = address?.country;
  return country !== undefined && /^[A-Z]{2}$/.test(country) ? country : undefined;
}

/** Five digits in the US, so that ZIP+4 loses its last four; at most ten characters elsewhere. */
function upstreamPostalCode(postalCode: string | undefined, country: string): string | undefined {
  const text = filled(postalCode);
  if (country === 'US') return /^(\d{5})(?:[ -]?\d{4})?$/.exec(text ?? '')?.[1];
  return text !== undefined && text.length <= 10 ? text : undefined;
}

/** The subdivision part of an ISO 3166-2 code: two letters in the US and Canada, one to three characters elsewhere. */
export function upstreamState(state: string | undefined, country: string): string | undefined {
  const code = filled(state)?.toUpperCase();
  if (code === undefined) return undefined;
  const part = code.startsWith(`${country}-`) ? code.slice(3) : code;
  const pattern = countriesWithState.has(country) ? /^[A-Z]{2}$/ : /^[A-Z0-9]{1,3}$/;
  return pattern.test(part) ? part : undefined;
}
