import { ApiError, invalidParam, type PaymentCreate } from '@till/contract';
import type { AccountContext } from '../../accounts/context.ts';
import type { CustomerRow } from '../../customers/store.ts';
import { cardBrand } from '../../lib/cards.ts';
import { openToken } from '../../payment-methods/payment-methods.ts';
import type { PaymentMethodRow } from '../../payment-methods/row.ts';
import { type Connected, unreachableReason } from '../../processors/port/connected.ts';
import type { RecurringModel, SaveRequest, StoredInstrument } from '../../processors/port/instruments.ts';
import type { ProcessorPort } from '../../processors/port/port.ts';
import type { PaymentDependencies } from '../dependencies.ts';
import type { PaymentRow } from '../payment.ts';
import { type Instrument, savesInstrument } from './rules.ts';

/** A saved card or wallet that this payment charges. */
export interface ChosenMethod {
  readonly kind: 'stored';
  readonly method: PaymentMethodRow;
  readonly model: RecurringModel;
}

const notFound = () =>
  invalidParam(
    'stored_payment_method',
    'stored_payment_method: the stored method was not found for this customer.',
  );

/**
 * Finds the saved method that the request names, or the customer's newest active card (spec, "Create validation rules" 5, 6).
 * A named card is charged even if it has expired: its issuer may have renewed it, and otherwise declines.
 * @throws ApiError `invalid_params` if there is none, or if the processor has revoked it; `provider_not_configured`
 *   if another merchant account at the processor keeps it
 */
export async function chooseMethod(
  deps: PaymentDependencies,
  context: AccountContext,
  request: PaymentCreate,
  {
    customer,
    id,
    processor,
  }: { readonly customer: CustomerRow; readonly id: string | null; readonly processor: Connected },
): Promise<ChosenMethod> {
  const method =
    id === null
      ? await deps.methods.store.newestCard(context, customer.id, processor.identity, context.now)
      : await deps.methods.store.find(context, id);
  if (id === null && method === undefined) {
    throw invalidParam(
      'use_last_payment_method',
      'use_last_payment_method needs an active saved card of the customer; there is none.',
    );
  }
  if (method === undefined || method.removed_at !== null || method.customer_id !== customer.id) {
    throw notFound();
  }
  if (method.gone_at !== null) {
    throw invalidParam(
      'stored_payment_method',
      'stored_payment_method can no longer be charged: its issuer or the buyer revoked it.',
    );
  }
  const why = unreachableReason(processor, method);
  if (why !== null) {
    throw new ApiError('provider_not_configured', `stored_payment_method cannot be charged. ${why}`, {
      param: 'stored_payment_method',
    });
  }
  return chosen(request, method);
}

/** Finds the method with which a payment was begun, even if it was removed or revoked since. */
export async function methodOf(
  deps: PaymentDependencies,
  request: PaymentCreate,
  payment: PaymentRow,
): Promise<ChosenMethod> {
  const method = await deps.methods.store.find(payment, payment.payment_method_id ?? '');
  if (method === undefined) throw new Error(`${payment.id} names a method that does not exist`);
  return chosen(request, method);
}

const chosen = (request: PaymentCreate, method: PaymentMethodRow): ChosenMethod => ({
  kind: 'stored',
  method,
  model: request.recurring_processing_model ?? method.recurring_processing_model,
});

/** Prepares a saved method for the charge, with its token decrypted. */
export async function openMethod(
  deps: PaymentDependencies,
  context: AccountContext,
  { method, model }: ChosenMethod,
  merchantInitiated: boolean,
): Promise<StoredInstrument> {
  return {
    kind: 'stored',
    method: method.type === 'card' ? 'card' : 'wallet',
    token: await openToken(deps.methods, context, method),
    upstreamCustomer: method.upstream_customer,
    model,
    initiator: merchantInitiated ? 'merchant' : 'customer',
    networkTransactionReference: method.network_transaction_reference,
  };
}

/**
 * The model under which this charge saves its instrument; null if it saves nothing (spec, "Saving behaviour").
 * @throws ApiError `invalid_params` if the request demands saving and the processor cannot store the instrument (rule 4)
 */
export function modelToSave(
  request: PaymentCreate,
  instrument: Instrument,
  context: AccountContext,
  port: ProcessorPort,
): RecurringModel | null {
  if (instrument.kind === 'stored' || !savesInstrument(request, instrument, context)) return null;
  const brand = instrument.kind === 'card' ? cardBrand(instrument.card.number) : null;
  if (port.canSave(instrument.kind === 'wallet' ? 'wallet' : 'card', brand)) {
    return request.recurring_processing_model ?? 'card_on_file';
  }
  if (request.save_payment_method === true) throw cannotSave();
  if (request.recurring_processing_model !== undefined) {
    throw invalidParam(
      'recurring_processing_model',
      'recurring_processing_model needs a method that is saved, and the processor cannot store this one.',
    );
  }
  return null;
}

export const cannotSave = (): ApiError =>
  invalidParam(
    'save_payment_method',
    'save_payment_method is not possible: the processor cannot store this method. Nothing was charged.',
  );

/** The request to save the payment's instrument, for the customer as the upstream knows them now. Null if it is not saved. */
export async function saveRequest(
  deps: PaymentDependencies,
  payment: PaymentRow,
  request: PaymentCreate,
): Promise<SaveRequest | null> {
  const { save_model: model, customer_id: customer, processor_identity: identity } = payment;
  if (model === null || customer === null) return null;
  return saveAs(payment, request, await deps.methods.store.upstreamCustomerOf(payment, customer, identity));
}

/** The same for a known id of the customer at the upstream. @param upstreamCustomer null: the upstream does not know them yet */
export function saveAs(
  payment: PaymentRow,
  request: PaymentCreate,
  upstreamCustomer: string | null,
): SaveRequest | null {
  if (payment.save_model === null || payment.customer_id === null) return null;
  return {
    model: payment.save_model,
    upstreamCustomer,
    // For a link saving is optional: a refusal would reveal to the buyer that the link saves instruments.
    required: request.save_payment_method === true && payment.payment_link_id === null,
  };
}

/**
 * Checks the earlier payment that this one renews (spec, "Create validation rules" 7).
 * @throws ApiError `invalid_params` if the account has no such payment, or if it belongs to another customer
 */
export async function checkRenewal(
  deps: PaymentDependencies,
  context: AccountContext,
  id: string | undefined,
  customer: CustomerRow | null,
): Promise<void> {
  if (id === undefined) return;
  const renewed = /^pay_[a-z0-9]{24}$/.test(id) ? await deps.store.find(context, id) : undefined;
  if (renewed === undefined || renewed.status === 'processing') {
    throw invalidParam('renews_payment', 'The payment that renews_payment names was not found.');
  }
  if (renewed.customer_id === null || renewed.customer_id !== customer?.id) {
    throw invalidParam('renews_payment', 'renews_payment must name a payment of the same customer.');
  }
}
