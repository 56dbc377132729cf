import type { NotificationEffect } from '../../port/notifications.ts';
import type { RefundFailure } from '../../port/refunds.ts';
import { jsonText } from '../../wire/json.ts';
import { storedToken } from '../charges/payment-facts.ts';
import { refusedLater, rejectedByScheme, reversed } from '../modifications/refund.ts';
import { authorisationOutcome } from './authorisation-notification.ts';
import { disputeFacts } from './dispute-notification.ts';
import { type NotificationItem, notificationItem, ownId } from './notification-item.ts';

type Interpreter = (item: NotificationItem) => NotificationEffect | undefined;

const interpreters: ReadonlyMap<string, Interpreter> = new Map<string, Interpreter>([
  ['AUTHORISATION', authorised],
  ['CANCELLATION', cancelled],
  ['TECHNICAL_CANCEL', cancelled],
  ['CANCEL_OR_REFUND', cancelled],
  // Means a failure although `success` is true (Adyen docs, "Failed capture").
  ['CAPTURE_FAILED', (item) => (item.success ? alerted(item, 'capture_failed') : undefined)],
  ['CAPTURE', (item) => (item.success ? undefined : alerted(item, 'capture_failed'))],
  ['NOTIFICATION_OF_FRAUD', (item) => (item.success ? alerted(item, 'fraud_reported') : undefined)],
  // MANUAL_REVIEW_REJECT has no row: the refund or cancellation that follows it is notified too, and would count twice.
  ['OFFER_CLOSED', offerClosed],
  ['REFUND', (item) => refunded(item, item.success ? 'succeeded' : refusedLater(item.reason))],
  ['REFUND_FAILED', (item) => refunded(item, rejectedByScheme)],
  ['REFUNDED_REVERSED', (item) => refunded(item, reversed)],
  ['RECURRING_CONTRACT', stored],
]);

/**
 * Interprets a verified notification; `none` for events that change none of our objects, such as reports (Adyen docs,
 * "Webhook types"). Never calls the upstream, which has no look-up for payments.
 */
export async function interpretNotification(body: unknown): Promise<readonly NotificationEffect[]> {
  const item = notificationItem(body);
  return [(item && effectOf(item)) ?? { kind: 'none' }];
}

function effectOf(item: NotificationItem): NotificationEffect | undefined {
  const facts = disputeFacts(item);
  return facts === undefined ? interpreters.get(item.eventCode)?.(item) : { kind: 'dispute', facts };
}

function authorised(item: NotificationItem): NotificationEffect | undefined {
  const paymentId = ownId('pay_', item.merchantReference);
  return paymentId === null || item.amount === undefined
    ? undefined
    : { kind: 'payment_settled', paymentId, ...item.amount, ...authorisationOutcome(item) };
}

/** Outcome of a request to cancel or reverse a payment. Its reference is the payment's own id. */
function cancelled(item: NotificationItem): NotificationEffect | undefined {
  const paymentId = ownId('pay_', item.merchantReference);
  return paymentId === null
    ? undefined
    : { kind: item.success ? 'payment_cancelled' : 'payment_not_cancelled', paymentId };
}

/** The buyer never came back: the offer expires 12 hours after its creation (Adyen Standard webhooks v1, OFFER_CLOSED). */
function offerClosed(item: NotificationItem): NotificationEffect | undefined {
  const paymentId = ownId('pay_', item.merchantReference);
  return paymentId === null || !item.success
    ? undefined
    : { kind: 'payment_offer_closed', paymentId, payment: { psp: item.pspReference } };
}

/** Alert about a settled payment. Events about modifications name the payment in `originalReference`. */
function alerted(
  { merchantReference, originalReference }: NotificationItem,
  alert: Extract<NotificationEffect, { kind: 'payment_alert' }>['alert'],
): NotificationEffect | undefined {
  const paymentId = ownId('pay_', merchantReference);
  const payment = originalReference === null ? {} : { psp: originalReference };
  return paymentId === null && originalReference === null
    ? undefined
    : { kind: 'payment_alert', alert, paymentId, payment };
}

function refunded(
  { pspReference, merchantReference, originalReference, amount }: NotificationItem,
  outcome: 'succeeded' | RefundFailure,
): NotificationEffect | undefined {
  return amount === undefined
    ? undefined
    : {
        kind: 'refund_settled',
        refundId: ownId('re_', merchantReference),
        upstreamId: pspReference,
        paymentId: ownId('pay_', merchantReference),
        payment: originalReference === null ? {} : { psp: originalReference },
        ...amount,
        outcome,
      };
}

/** RECURRING_CONTRACT has the token where other events have their own reference. */
function stored(item: NotificationItem): NotificationEffect | undefined {
  const { pspReference, originalReference, merchantReference, additionalData, success } = item;
  const token = jsonText(additionalData, 'recurring.recurringDetailReference') ?? pspReference;
  const saved = success ? storedToken(token) : null;
  return saved === null
    ? undefined
    : {
        kind: 'instrument_saved',
        paymentId: ownId('pay_', merchantReference),
        payment: originalReference === null ? {} : { psp: originalReference },
        saved,
      };
}
