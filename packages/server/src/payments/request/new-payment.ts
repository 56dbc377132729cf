import { type PaymentCreate, walletType } from '@till/contract';
import type { AccountContext } from '../../accounts/context.ts';
import { newId } from '../../lib/ids.ts';
import type { PaymentDependencies } from '../dependencies.ts';
import type { PaymentRow } from '../payment.ts';
import { storedCard } from './charge-request.ts';
import type { Plan, PlannedInstrument } from './plan-payment.ts';
import { riskSession } from './risk.ts';

const typeOf = { card: 'card', card_fields: 'card_fields', wallet: walletType } as const;
const unknownCard = { brand: null, bin: null, last4: null, exp_month: null, exp_year: null };

/**
 * A new payment: the processor has not been asked yet.
 * @param identity the merchant account of the connection that will be asked
 * @param linkId id of the link with which the buyer pays; null: none
 */
export function newPaymentRow(
  deps: PaymentDependencies,
  context: AccountContext,
  request: PaymentCreate,
  { instrument, authentication, customer, saveModel }: Plan,
  identity: string,
  linkId: string | null = null,
): PaymentRow {
  const id = newId('pay', deps.clock.now(), deps.randomBytes);
  return {
    tenant: context.tenant,
    id,
    status: 'processing',
    version: 1,
    event_count: 0,
    amount: request.amount,
    currency: request.currency,
    customer_id: customer?.id ?? null,
    reference: request.reference ?? null,
    shopper_statement: request.shopper_statement ?? null,
    capture_method: request.capture_method ?? 'automatic',
    ...chargedMethod(instrument),
    renews_payment: request.renews_payment ?? null,
    payment_link_id: linkId,
    failure_code: null,
    authentication,
    three_d_secure: null,
    avs: null,
    upstream: {},
    network_transaction_reference: null,
    required_action: false,
    next_action: null,
    redirect_url: null,
    confirm_by: null,
    returned: null,
    buyer_done_at: null,
    confirm_attempt: 0,
    authorization_guaranteed_until: null,
    authorization_expires: null,
    save_model: saveModel,
    merchant_initiated: request.merchant_initiated === true,
    risk_session: riskSession(request, id),
    processor_identity: identity,
    created_at: context.now,
  };
}

/** What is known about the payment's instrument from the beginning. */
function chargedMethod(instrument: PlannedInstrument) {
  if (instrument.kind === 'stored') {
    const { id, type, brand, bin, last4, exp_month, exp_year } = instrument.method;
    return { method_type: type, payment_method_id: id, brand, bin, last4, exp_month, exp_year };
  }
  return {
    method_type: typeOf[instrument.kind],
    payment_method_id: null,
    ...(instrument.kind === 'card' ? storedCard(instrument.card) : unknownCard),
  };
}
