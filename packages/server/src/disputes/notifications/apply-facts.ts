import type { AccountContext } from '../../accounts/context.ts';
import { newId } from '../../lib/ids.ts';
import { belongsToOtherMerchantAccount } from '../../payments/notifications/of-another.ts';
import type { PaymentRow } from '../../payments/payment.ts';
import { findPaymentId } from '../../payments/reads.ts';
import type { DisputeFacts } from '../../processors/port/disputes.ts';
import { capabilitiesOf } from '../../processors/registry.ts';
import { brokenConstraint } from '../../store/database.ts';
import { changeDispute, recordDispute } from '../change-dispute.ts';
import type { DisputeDependencies } from '../dependencies.ts';
import type { DisputeRow } from '../present.ts';
import { knownDispute } from '../store.ts';
import { beginning, differs, kindOfUpdate, mergeFacts } from './merge-facts.ts';

/**
 * Applies an upstream's updates of a dispute. Repeated updates change nothing, and updates in any order lead to the same state
 * and status.
 * @param sender identity of the merchant account that sent them; null if unknown
 * @returns `later` if the payment is not known yet or was made with another merchant account, or if the updates of an unknown
 *   dispute do not contain its state; the caller then retries for a while
 */
export async function applyDisputeFacts(
  deps: DisputeDependencies,
  context: AccountContext,
  facts: DisputeFacts,
  sender: string | null = null,
): Promise<'applied' | 'later'> {
  for (;;) {
    const known = await deps.store.findByUpstreamId(context, facts.upstreamId);
    const done =
      known === undefined
        ? await begin(deps, context, facts, sender)
        : await updateKnown(deps, context, known, { facts, sender });
    // Undefined: the dispute changed concurrently. Retry with its new state.
    if (done !== undefined) return done;
  }
}

async function begin(
  deps: DisputeDependencies,
  context: AccountContext,
  facts: DisputeFacts,
  sender: string | null,
): Promise<'applied' | 'later' | undefined> {
  const payment = await findPayment(deps, context, facts);
  const unknown = { id: facts.upstreamId };
  if (payment === undefined) {
    deps.onIncident(context, 'a dispute is about a payment that is not known', unknown);
    return 'later';
  }
  if (belongsToOtherMerchantAccount(deps, context, payment, sender, unknown)) return 'later';
  const position = beginning(facts);
  if (position === undefined) {
    deps.onIncident(context, 'updates of a dispute that is not known do not contain its state', unknown);
    return 'later';
  }
  try {
    await recordDispute(deps, context, {
      ...newRow(deps, context, facts, payment),
      ...position,
      processor_identity: sender,
    });
    return 'applied';
  } catch (error) {
    if (brokenConstraint(error) === knownDispute) return undefined;
    throw error;
  }
}

async function updateKnown(
  deps: DisputeDependencies,
  context: AccountContext,
  before: DisputeRow,
  { facts, sender }: { readonly facts: DisputeFacts; readonly sender: string | null },
): Promise<'applied' | 'later' | undefined> {
  if (belongsToOtherMerchantAccount(deps, context, before, sender)) return 'later';
  const update = kindOfUpdate(before, facts);
  if (update === 'contradictory') {
    deps.onIncident(context, 'updates of a dispute contradict what is known', before);
  }
  const after = mergeFacts(before, facts, context.now);
  if (!differs(before, after)) return 'applied';
  return (await changeDispute(deps, context, { before, after })) === undefined ? undefined : 'applied';
}

async function findPayment(
  deps: DisputeDependencies,
  context: AccountContext,
  facts: DisputeFacts,
): Promise<PaymentRow | undefined> {
  const id = facts.paymentId ?? (await findPaymentId(deps.db, context, facts.payment));
  const payment = id === undefined ? undefined : await deps.payments.find(context, id);
  // A payment without an answer yet is not shown. Its own notification has to arrive first.
  return payment?.status === 'processing' ? undefined : payment;
}

function newRow(
  deps: DisputeDependencies,
  context: AccountContext,
  facts: DisputeFacts,
  payment: PaymentRow,
): Omit<DisputeRow, 'state' | 'status' | 'processor_identity'> {
  return {
    tenant: context.tenant,
    id: newId('dsp', deps.clock.now(), deps.randomBytes),
    payment_id: payment.id,
    customer_id: payment.customer_id,
    amount: facts.amount,
    currency: facts.currency,
    inquiry_refunds: capabilitiesOf(context.processor).inquiryRefunds,
    concluded_by: null,
    reason: facts.reason,
    network_reason_code: facts.networkReasonCode,
    respond_by: facts.respondBy,
    raised_at: facts.raisedAt,
    arn: facts.arn,
    metadata: {},
    upstream_id: facts.upstreamId,
    version: 1,
    event_count: 0,
    action_since: context.now,
    reminders: 0,
    operation: null,
    operations_done: 0,
    created_at: context.now,
    method_type: payment.method_type,
    brand: payment.brand,
    last4: payment.last4,
    exp_month: payment.exp_month,
    exp_year: payment.exp_year,
    payment_amount: payment.amount,
    payment_currency: payment.currency,
  };
}
