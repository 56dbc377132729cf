import type { PaymentCreate } from '@till/contract';
import type { AccountContext } from '../../accounts/context.ts';
import { findCustomer } from '../../customers/customers.ts';
import { type CustomerRow, newCustomerRow } from '../../customers/store.ts';
import type { SaveRequest } from '../../processors/port/instruments.ts';
import type { Buyer } from '../../processors/port/port.ts';
import type { PaymentDependencies } from '../dependencies.ts';
import type { ClientInfo, SentCustomer, StoredRequest, TransactionAddresses } from '../kept-request.ts';
import type { PaymentRow } from '../payment.ts';
import { resolveAddresses } from './address.ts';
import { saveAs, saveRequest } from './saved-instrument.ts';

/**
 * What a charge sends beside the request. All attempts of a charge send the same, whatever has changed meanwhile: the upstream
 * may refuse a repeated key with another body, and then the retry could not finish.
 */
export interface SentWith {
  readonly client: ClientInfo;
  readonly addresses: TransactionAddresses;
  readonly buyer: Buyer | null;
  readonly save: SaveRequest | null;
}

export function toBuyer(customer: CustomerRow | null): Buyer | null {
  if (customer === null) return null;
  return {
    id: customer.id,
    email: customer.email,
    name: customer.name,
    phone: customer.phone,
    locale: customer.locale,
    dateOfBirth: customer.date_of_birth,
  };
}

/** Finds the customer of a stored payment. */
export async function customerOf(
  deps: PaymentDependencies,
  context: AccountContext,
  payment: PaymentRow,
): Promise<CustomerRow | null> {
  if (payment.customer_id === null) return null;
  return (await findCustomer(deps.customers, context, payment.customer_id)) ?? null;
}

/** What the first attempt sends. @param customer the payment's customer as they are now */
export const sentFirst = async (
  deps: PaymentDependencies,
  payment: PaymentRow,
  request: PaymentCreate,
  { client, customer }: { readonly client: ClientInfo; readonly customer: CustomerRow | null },
): Promise<SentWith> => ({
  client,
  addresses: resolveAddresses(request, customer),
  buyer: toBuyer(customer),
  save: await saveRequest(deps, payment, request),
});

/** The part of it that has to be stored. @returns null if the request itself has all data of the customer, or if there is none */
export function sentCustomer(
  request: PaymentCreate,
  { addresses, buyer, save }: SentWith,
): SentCustomer | null {
  if (buyer === null || typeof request.customer === 'object') return null;
  const { id: _id, ...fields } = buyer;
  return { addresses, buyer: fields, upstreamCustomer: save?.upstreamCustomer ?? null };
}

/** What the first attempt sent, for a repeat of the charge. */
export async function sentBefore(
  deps: PaymentDependencies,
  context: AccountContext,
  payment: PaymentRow,
  stored: StoredRequest,
): Promise<SentWith> {
  const { client, sentCustomer: sent, customer: given } = stored;
  const { customer_id: id } = payment;
  if (id === null || sent === undefined) {
    const isNew = id !== null && typeof given === 'object';
    const customer = isNew
      ? newCustomerRow(context, id, given, payment.created_at)
      : await customerOf(deps, context, payment);
    // No method of a customer who was created with the payment can have been saved before.
    const save = isNew ? saveAs(payment, stored, null) : await saveRequest(deps, payment, stored);
    return { client, addresses: resolveAddresses(stored, customer), buyer: toBuyer(customer), save };
  }
  const save = saveAs(payment, stored, sent.upstreamCustomer);
  return { client, addresses: sent.addresses, buyer: { id, ...sent.buyer }, save };
}
