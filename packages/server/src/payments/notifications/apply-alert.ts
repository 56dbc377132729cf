import type { AccountContext } from '../../accounts/context.ts';
import type { Applied } from '../../operations/apply-update.ts';
import { raiseAlert } from '../../payment-alerts/alerts.ts';
import type { NotificationEffect } from '../../processors/port/notifications.ts';
import type { PaymentDependencies } from '../dependencies.ts';
import { findPaymentByCapture } from '../reads.ts';
import { belongsToOtherMerchantAccount } from './of-another.ts';

/**
 * Applies a notification that says something against a settled payment. The payment keeps its status, which is final, and people
 * are alerted. On a payment that was never charged such a notification means nothing. Repeats change nothing.
 * @param sender identity of the merchant account from which the notification came; null: not known
 */
export async function applyPaymentAlert(
  deps: PaymentDependencies,
  context: AccountContext,
  { alert, paymentId, payment: reported, taken }: Extract<NotificationEffect, { kind: 'payment_alert' }>,
  sender: string | null,
): Promise<Applied> {
  const payment =
    paymentId === null
      ? await findPaymentByCapture(deps.db, context, reported)
      : await deps.store.find(context, paymentId);
  if (payment === undefined) {
    const unknown = { id: paymentId ?? reported.capture ?? reported.psp ?? '' };
    deps.onIncident(context, 'notification about an unknown payment', unknown);
    return 'applied';
  }
  if (belongsToOtherMerchantAccount(deps, context, payment, sender)) return 'later';
  // The payment may have been charged although no answer says so yet.
  const isOpen = payment.status === 'processing' || payment.status === 'requires_action';
  if (isOpen || (await deps.operations.isOpen(payment))) return 'later';
  const known = payment.upstream.capture;
  // The notification is about an attempt that was declined before another one succeeded.
  const isOther = reported.capture !== undefined && known !== undefined && reported.capture !== known;
  if (payment.status !== 'succeeded' || isOther) return 'applied';
  const takenAmount = taken?.currency === payment.currency ? taken.amount : null;
  if (await raiseAlert(deps.alerts, context, payment, alert, takenAmount)) {
    deps.onIncident(context, `the processor reports against a settled payment: ${alert}`, payment);
  }
  return 'applied';
}
