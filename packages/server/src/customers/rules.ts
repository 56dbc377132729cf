import { type Address, type CustomerCreate, type CustomerUpdate, invalidParam } from '@till/contract';
import { isCountry } from '../lib/countries.ts';

/** E-mail addresses are kept as sent (trimmed) and compared in this form (spec, "Customer"). */
export function foldEmail(email: string): string {
  return email.trim().normalize('NFC').toLowerCase();
}

/**
 * Checks the rules that the schema cannot express.
 * @param path prefix of the field names in messages: empty, or `customer.` for a customer created with a payment
 * @param now account time
 * @throws ApiError `invalid_params` for an unknown country or a date of birth in the future
 */
export function checkCustomer(fields: CustomerCreate | CustomerUpdate, now: Date, path = ''): void {
  checkCountry(fields.billing_address, `${path}billing_address`);
  checkCountry(fields.delivery_address, `${path}delivery_address`);
  if (fields.date_of_birth != null && fields.date_of_birth > now.toISOString().slice(0, 10)) {
    throw invalidParam(
      `${path}date_of_birth`,
      `${path}date_of_birth must not be in the future; ${fields.date_of_birth} was sent.`,
    );
  }
}

function checkCountry(address: Address | null | undefined, path: string): void {
  if (address?.country !== undefined && !isCountry(address.country)) {
    throw invalidParam(
      `${path}.country`,
      `${path}.country must be an ISO 3166-1 alpha-2 code, such as DE or US; "${address.country}" was sent.`,
    );
  }
}
