import { ApiError, type CustomerCreate, invalidParam, type PaymentCreate } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import { findCustomer } from '../customers/customers.ts';
import { checkCustomer } from '../customers/rules.ts';
import { type CustomerRow, newCustomerRow } from '../customers/store.ts';
import { newId } from '../lib/ids.ts';
import type { AuthenticationDemand, ChargeInstrument } from '../processors/port.ts';
import { reconcile } from './line-items.ts';
import type { PaymentParts } from './parts.ts';
import {
  authenticationDemand,
  checkCaptureMethod,
  checkProcessorAndCurrency,
  checkRecurring,
  checkReturnUrls,
  readInstrument,
} from './rules.ts';

/** A request that passed every rule: what will be charged, and how. */
export interface Plan {
  readonly instrument: ChargeInstrument;
  readonly authentication: AuthenticationDemand;
  readonly customer: CustomerRow | null;
  readonly customerIsNew: boolean;
}

/**
 * Every rule on a create request, in the order of checks: fields, then references.
 * @throws ApiError `missing_field`, `invalid_params`, `provider_not_configured`, `customer_not_found`
 */
export async function planPayment(
  parts: PaymentParts,
  context: AccountContext,
  request: PaymentCreate,
): Promise<Plan> {
  const instrument = readInstrument(request, context);
  checkProcessorAndCurrency(request, context);
  checkCaptureMethod(request, context);
  checkRecurring(request, instrument, context);
  const authentication = authenticationDemand(request, instrument, context);
  checkReturnUrls(request, instrument, authentication);
  const order = reconcile(request);
  if (!order.ok) throw invalidParam(order.param, order.message);
  const customer = await resolveCustomer(parts, context, request.customer);
  if (instrument.kind === 'stored') {
    throw instrument.id === null
      ? invalidParam('use_last_payment_method', 'The customer has no saved card.')
      : invalidParam('stored_payment_method', 'The stored payment method was not found.');
  }
  return { instrument, authentication, customer, customerIsNew: typeof request.customer === 'object' };
}

async function resolveCustomer(
  parts: PaymentParts,
  context: AccountContext,
  wish: string | CustomerCreate | undefined,
): Promise<CustomerRow | null> {
  if (wish === undefined) return null;
  if (typeof wish === 'object') {
    checkCustomer(wish, context.now, 'customer.');
    return newCustomerRow(context, newId('cus', context.now, parts.randomBytes), wish, context.now);
  }
  const customer = await findCustomer(parts.customers, context, wish);
  if (customer === undefined) {
    throw new ApiError('customer_not_found', 'There is no customer with this id.', { param: 'customer' });
  }
  return customer;
}
