import type { AccountContext } from '../accounts/context.ts';
import { newId } from '../lib/ids.ts';
import type { PaymentRow } from '../payments/payment.ts';
import { isOfMerchant } from '../processors/port/connected.ts';
import type { DisputeFacts } from '../processors/port/disputes.ts';
import { capabilitiesOf } from '../processors/registry.ts';
import { brokenConstraint } from '../store/database.ts';
import { changeDispute, recordDispute } from './change-dispute.ts';
import { beginning, differs, learn, newsOf } from './learn.ts';
import type { DisputeParts } from './parts.ts';
import type { DisputeRow } from './present.ts';
import { knownDispute } from './store.ts';

/**
 * Applies what an upstream says of a dispute. The same news again change nothing, and news in any order end in the same
 * state and status.
 * @param sender identity of the merchant account that it came from; null: not known
 * @returns `later` where the payment is not known (yet) or was made with another merchant account, or the news say too little of a dispute that is not: the
 *   caller tries again for a while
 */
export async function applyDisputeFacts(
  parts: DisputeParts,
  context: AccountContext,
  facts: DisputeFacts,
  sender: string | null = null,
): Promise<'applied' | 'later'> {
  for (;;) {
    const known = await parts.store.findByUpstreamId(context, facts.upstreamId);
    const done =
      known === undefined
        ? await begin(parts, context, facts, sender)
        : await goOn(parts, context, known, { facts, sender });
    // Otherwise it changed meanwhile: it is looked at again.
    if (done !== undefined) return done;
  }
}

async function begin(
  parts: DisputeParts,
  context: AccountContext,
  facts: DisputeFacts,
  sender: string | null,
): Promise<'applied' | 'later' | undefined> {
  const payment = await findPayment(parts, context, facts);
  const unknown = { id: facts.upstreamId, account_id: context.accountId };
  if (payment === undefined) {
    parts.onTrouble('a dispute is about a payment that is not known', unknown);
    return 'later';
  }
  if (!isOfMerchant(payment, sender)) return ofAnother(parts, unknown);
  const position = beginning(facts, await parts.store.hasWon(context, payment.id));
  if (position === undefined) {
    parts.onTrouble('news of a dispute that is not known do not tell its state', unknown);
    return 'later';
  }
  try {
    await recordDispute(parts, context, {
      ...newRow(parts, context, facts, payment),
      ...position,
      processor_identity: sender,
    });
    return 'applied';
  } catch (error) {
    if (brokenConstraint(error) === knownDispute) return undefined;
    throw error;
  }
}

async function goOn(
  parts: DisputeParts,
  context: AccountContext,
  before: DisputeRow,
  { facts, sender }: { readonly facts: DisputeFacts; readonly sender: string | null },
): Promise<'applied' | 'later' | undefined> {
  if (!isOfMerchant(before, sender)) return ofAnother(parts, before);
  const news = newsOf(before, facts);
  if (news === 'contradictory') parts.onTrouble('news of a dispute contradict what is known', before);
  const after = learn(before, facts, context.now);
  if (!differs(before, after)) return 'applied';
  return (await changeDispute(parts, context, { before, after })) === undefined ? undefined : 'applied';
}

function ofAnother(parts: DisputeParts, about: { id: string; account_id: string }): 'later' {
  parts.onTrouble('a notification of another merchant account', about);
  return 'later';
}

async function findPayment(
  parts: DisputeParts,
  context: AccountContext,
  facts: DisputeFacts,
): Promise<PaymentRow | undefined> {
  const id = facts.paymentId ?? (await parts.store.findPaymentId(context, facts.payment));
  const payment = id === undefined ? undefined : await parts.payments.find(context, id);
  // Nothing that has no answer yet is shown; its own notification comes first.
  return payment?.status === 'processing' ? undefined : payment;
}

function newRow(
  parts: DisputeParts,
  context: AccountContext,
  facts: DisputeFacts,
  payment: PaymentRow,
): Omit<DisputeRow, 'state' | 'status' | 'processor_identity'> {
  return {
    account_id: context.accountId,
    livemode: context.livemode,
    id: newId('dsp', parts.clock.now(), parts.randomBytes),
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
