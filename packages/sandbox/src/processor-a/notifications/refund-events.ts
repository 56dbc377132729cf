import type { NotificationEvent, UpstreamAmount } from './notification-items.ts';

/** What notifications of a refund repeat of it. */
export interface KeptRefund {
  readonly upstreamId: string;
  readonly reference: string;
  readonly paymentPspReference: string;
  readonly amount: UpstreamAmount;
}

/** Why a refund fails after it was accepted (Adyen docs, "Refund"). */
export const failedLater = 'Insufficient balance on payment';

function eventOf({ upstreamId, reference, paymentPspReference, amount }: KeptRefund) {
  return {
    pspReference: upstreamId,
    originalReference: paymentPspReference,
    merchantReference: reference,
    amount,
    additionalData: {},
  };
}

/** REFUND: the money went back, or why it did not. */
export function refundEvent(refund: KeptRefund, failure: string | undefined): NotificationEvent {
  return {
    ...eventOf(refund),
    eventCode: 'REFUND',
    success: failure === undefined,
    reason: failure ?? '',
  };
}

/** REFUNDED_REVERSED: it went back and came back. */
export function reversedEvent(refund: KeptRefund): NotificationEvent {
  return { ...eventOf(refund), eventCode: 'REFUNDED_REVERSED', success: true, reason: '' };
}
