import type { NotificationEvent, UpstreamAmount } from './notification-items.ts';

/** The data of a refund that its notifications repeat. */
export interface KeptRefund {
  readonly upstreamId: string;
  readonly reference: string;
  readonly paymentPspReference: string;
  readonly amount: UpstreamAmount;
}

/** The reason for which a refund fails after it was accepted (Adyen docs, "Refund"). */
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

/** REFUND event: the refund succeeded, or failed with a reason. */
export function refundEvent(refund: KeptRefund, failure: string | undefined): NotificationEvent {
  return {
    ...eventOf(refund),
    eventCode: 'REFUND',
    success: failure === undefined,
    reason: failure ?? '',
  };
}

/** REFUNDED_REVERSED event: the refunded money came back to the merchant. */
export function reversedEvent(refund: KeptRefund): NotificationEvent {
  return { ...eventOf(refund), eventCode: 'REFUNDED_REVERSED', success: true, reason: '' };
}
