import { type Address, limits } from '@till/contract';
import { isCountry } from '../../lib/countries.ts';
import type { TransactionAddresses } from '../kept-request.ts';

const fields = ['line1', 'line2', 'city', 'postal_code', 'state', 'country'] as const;

/** In these countries an address without a state is useless to the risk engine (spec, "Address rules"). */
const countriesWithStates: ReadonlySet<string> = new Set(['US', 'CA']);

/**
 * Picks the addresses for address verification and risk evaluation (spec, "Address rules for fraud and address
 * verification"). An address sent with the payment overrides the customer's for this transaction. The specification
 * says that a malformed or incomplete one "is dropped": we treat it as if it had not been sent, so the customer's address
 * is used. Incomplete means without a country, since such an address cannot be sent to the processor. Whichever address is
 * picked, one in the US or Canada without `state` is not sent at all. The customer's address does not replace it, because the
 * merchant has said that it does not belong to this transaction.
 */
export function resolveAddresses(
  request: { readonly billing_address?: unknown; readonly delivery_address?: unknown },
  customer: { readonly billing_address: Address | null; readonly delivery_address: Address | null } | null,
): TransactionAddresses {
  return {
    billing: pick(request.billing_address, customer?.billing_address),
    delivery: pick(request.delivery_address, customer?.delivery_address),
  };
}

function pick(sent: unknown, stored: unknown): Address | null {
  const address = readAddress(sent) ?? readAddress(stored);
  if (address === null) return null;
  return hasNeededState(address) ? address : null;
}

/** The known fields of a well-formed address with a country, or null. Fields that are null or blank count as absent. */
function readAddress(value: unknown): Address | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  // A map of the object's own members, so that no inherited member is read as a field.
  const members = new Map<string, unknown>(Object.entries(value));
  const address: Address = {};
  for (const field of fields) {
    const text = members.get(field);
    if (text === undefined || text === null) continue;
    if (!isText(text)) return null;
    if (text.trim() !== '') address[field] = text;
  }
  return address.country !== undefined && isCountry(address.country) ? address : null;
}

/** NUL is refused because no PostgreSQL text can hold it; length counts characters, as the contract's schemas do. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && Array.from(value).length <= limits.textLength && !value.includes('\0');
}

function hasNeededState({ country = '', state }: Address): boolean {
  return state !== undefined || !countriesWithStates.has(country);
}
