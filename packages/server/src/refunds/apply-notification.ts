import type { AccountContext } from '../accounts/context.ts';
import { newId } from '../lib/ids.ts';
import { raiseAlert } from '../payment-alerts/alerts.ts';
import { belongsToOtherMerchantAccount } from '../payments/notifications/of-another.ts';
import type { PaymentRow } from '../payments/payment.ts';
import { findPaymentByCapture } from '../payments/reads.ts';
import type { NotificationEffect } from '../processors/port/notifications.ts';
import { commitRefund } from './commit-refund.ts';
import type { RefundDependencies } from './dependencies.ts';
import { hasPendingRefund } from './reads.ts';
import { settleRefund } from './refund.ts';
import type { RefundRow } from './row.ts';
import { canTransition } from './state.ts';

export type RefundUpdate = Extract<NotificationEffect, { kind: 'refund_settled' }>;

/**
 * Applies the upstream's notification that a refund succeeded or failed. A succeeded refund may still fail if the card scheme
 * takes it back. Notifications lead to the same state in any order and when repeated. A refund made elsewhere is recorded here.
 * @param sender identity of the merchant account that sent the notification; null if unknown
 * @returns `later` if the refund changed concurrently, or was made with another merchant account
 */
export async function applyRefundUpdate(
  deps: RefundDependencies,
  context: AccountContext,
  update: RefundUpdate,
  sender: string | null = null,
): Promise<'applied' | 'later'> {
  const refund = await findRefund(deps, context, update);
  if (refund === undefined) {
    // The refund has an id of ours: it may have been made after the backup from which the database was restored.
    if (update.refundId !== null) reportUnknown(deps, context, update);
    return recordForeign(deps, context, update, sender);
  }
  if (belongsToOtherMerchantAccount(deps, context, refund, sender)) return 'later';
  if (update.amount !== refund.amount || update.currency !== refund.currency) {
    deps.onIncident(context, 'a notification names another amount than the refund', refund);
    return 'applied';
  }
  const status = update.outcome === 'succeeded' ? 'succeeded' : 'failed';
  if (!canTransition(refund.status, status)) {
    // Either the failure came after this success, or the money is gone although the payment counts it as refundable.
    if (refund.status === 'failed' && status === 'succeeded') {
      deps.onIncident(context, 'the processor says that a refund succeeded which failed here', refund);
    }
    return 'applied';
  }
  const change = settleRefund(refund, outcomeOf(update), { now: deps.clock.now(), shown: 'at_once' });
  return (await commitRefund(deps, context, refund, change, null)) === undefined ? 'later' : 'applied';
}

async function findRefund(
  deps: RefundDependencies,
  context: AccountContext,
  update: RefundUpdate,
): Promise<RefundRow | undefined> {
  const named = update.refundId === null ? undefined : await deps.store.find(context, update.refundId);
  return named ?? deps.store.findByUpstreamId(context, update.upstreamId);
}

function reportUnknown(deps: RefundDependencies, context: AccountContext, update: RefundUpdate): void {
  deps.onIncident(context, 'notification about an unknown refund', {
    id: update.refundId ?? update.upstreamId,
  });
}

/** Records a refund that was made in the upstream's own dashboard. It counts against the payment like any other. */
async function recordForeign(
  deps: RefundDependencies,
  context: AccountContext,
  update: RefundUpdate,
  sender: string | null,
): Promise<'applied' | 'later'> {
  const payment =
    update.paymentId === null
      ? await findPaymentByCapture(deps.db, context, update.payment)
      : await deps.payments.store.find(context, update.paymentId);
  if (payment === undefined) {
    if (update.refundId === null) reportUnknown(deps, context, update);
    return 'applied';
  }
  if (belongsToOtherMerchantAccount(deps, context, payment, sender)) return 'later';
  if (update.currency !== payment.currency) {
    const refund = { id: update.upstreamId };
    deps.onIncident(context, 'a refund at the processor names another currency than the payment', refund);
    return 'applied';
  }
  if (payment.status === 'failed' || payment.status === 'voided') {
    return applyReturned(deps, context, payment, update);
  }
  if (payment.status !== 'succeeded') return 'later';
  const refund: RefundRow = {
    tenant: context.tenant,
    id: newId('re', deps.clock.now(), deps.randomBytes),
    payment_id: payment.id,
    amount: update.amount,
    currency: update.currency,
    status: 'pending',
    reason: null,
    note: null,
    failure_code: null,
    failure_message: null,
    metadata: {},
    upstream_id: update.upstreamId,
    version: 1,
    event_count: 0,
    processor_identity: sender,
    created_at: context.now,
  };
  const begun = await deps.store.begin({
    refund,
    seenLeft: null,
    isMade: true,
    lease: deps.lease(),
    claim: null,
    audited: null,
  });
  if (begun !== 'begun') {
    // A failed refund moved no money.
    if (update.outcome !== 'succeeded') return 'applied';
    // If the pending refund fails, its amount becomes available for this one.
    if (await hasPendingRefund(deps.db, payment)) return 'later';
    deps.onIncident(context, 'more was refunded upstream than the payment has left', refund);
    return 'applied';
  }
  // A failed refund is recorded too, because the notification of its success may still arrive.
  const change = settleRefund(refund, outcomeOf(update), { now: deps.clock.now(), shown: 'at_once' });
  const done = await commitRefund(deps, context, refund, change, null);
  return done === undefined ? 'later' : 'applied';
}

/**
 * Handles a refund of a payment that failed or was voided here but was charged upstream. The return of that money, by a reversal
 * or by hand, is not recorded as a refund. If the return fails, the buyer has paid, and only this alert reports it.
 */
async function applyReturned(
  deps: RefundDependencies,
  context: AccountContext,
  payment: PaymentRow,
  { outcome }: RefundUpdate,
): Promise<'applied'> {
  if (outcome === 'succeeded') return 'applied';
  deps.onIncident(
    context,
    'charged upstream after it failed or was voided here, and not given back',
    payment,
  );
  await raiseAlert(deps.payments.alerts, context, payment, 'reversal_failed');
  return 'applied';
}

const outcomeOf = ({ outcome, upstreamId }: RefundUpdate) =>
  outcome === 'succeeded'
    ? ({ kind: 'succeeded', upstreamId } as const)
    : ({ kind: 'failed', upstreamId, failure: outcome } as const);
