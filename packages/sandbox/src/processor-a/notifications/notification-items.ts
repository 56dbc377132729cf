import { notificationDelayMs, type WebhookDirective } from '../../directives/webhook-directives.ts';
import type { DeliveryFlaw, PlannedNotification } from '../../outbox/outbox.ts';
import { brandNames, type PaymentResponse } from '../authorisation/authorise.ts';
import { derivedReference } from '../authorisation/derived-reference.ts';
import type { Token } from '../authorisation/instruments.ts';
import type { KeptPayment } from '../authorisation/payment-request.ts';

export interface UpstreamAmount {
  readonly currency: string;
  readonly value: number;
}

/**
 * The part of Adyen Standard webhooks v1, NotificationRequestItem, that the simulator fills. The signature is
 * added later.
 */
export interface NotificationItem {
  readonly pspReference: string;
  readonly originalReference?: string;
  /** Adyen Standard webhooks v1: on RECURRING_CONTRACT only. */
  readonly originalPsp?: string;
  readonly merchantReference: string;
  readonly merchantAccountCode: string;
  readonly eventCode: string;
  /** ISO 8601 with an offset. */
  readonly eventDate: string;
  readonly success: 'true' | 'false';
  readonly amount: UpstreamAmount;
  readonly paymentMethod?: string;
  readonly reason: string;
  readonly operations?: readonly string[];
  readonly additionalData: Readonly<Record<string, string>>;
}

/** The body of a notification. A JSON delivery has one item. */
export interface NotificationBody {
  readonly live: 'true' | 'false';
  readonly notificationItems: readonly [{ readonly NotificationRequestItem: NotificationItem }];
}

/** An event without its account and time. */
export type NotificationEvent = Omit<NotificationItem, 'merchantAccountCode' | 'eventDate' | 'success'> & {
  readonly success: boolean;
};

export interface Delivery {
  readonly merchantAccount: string;
  /** When the event happens upstream. */
  readonly at: Date;
  /** When the notification is sent. Default: a little later than the event. */
  readonly dueAt?: Date;
  readonly flaw?: DeliveryFlaw | undefined;
}

/** Suffix of the merchant accounts that stand for live accounts. */
const liveSuffix = '_live';

/** The id by which the merchant's side recognizes duplicates (Adyen docs, "Handle webhook events"). */
export function notificationId(eventCode: string, pspReference: string, success: boolean): string {
  return `${eventCode}:${pspReference}:${success}`;
}

/** Builds the notification of an event, to be sent when it is due. */
export function planned(event: NotificationEvent, delivery: Delivery): PlannedNotification {
  const { merchantAccount, at, dueAt, flaw } = delivery;
  const item: NotificationItem = {
    merchantAccountCode: merchantAccount,
    eventDate: at.toISOString().replace(/\.\d+Z$/, '+00:00'),
    ...event,
    success: event.success ? 'true' : 'false',
  };
  const body: NotificationBody = {
    live: merchantAccount.endsWith(liveSuffix) ? 'true' : 'false',
    notificationItems: [{ NotificationRequestItem: item }],
  };
  return {
    processor: 'processor_a',
    merchantAccount,
    id: notificationId(event.eventCode, event.pspReference, event.success),
    dueAt: dueAt ?? new Date(at.getTime() + notificationDelayMs),
    body,
    flaw,
  };
}

/** The delivery of a payment's notification according to a directive. */
export function deliveryOf(
  merchantAccount: string,
  at: Date,
  directive: WebhookDirective['does'] | undefined,
): Delivery {
  if (directive === undefined) return { merchantAccount, at };
  return directive === 'first'
    ? { merchantAccount, at, dueAt: at }
    : { merchantAccount, at, flaw: directive };
}

/**
 * AUTHORISATION event of a payment's final response. `reason` is `authcode:last4:M/YYYY`, or the refusal
 * reason.
 */
export function authorisationEvent(payment: KeptPayment, answer: PaymentResponse): NotificationEvent {
  const { paymentMethod, ...additionalData } = answer.additionalData;
  const { last4, expiryMonth, expiryYear } = payment.card;
  const approved = answer.resultCode === 'Authorised';
  return {
    eventCode: 'AUTHORISATION',
    pspReference: answer.pspReference,
    merchantReference: payment.reference,
    success: approved,
    amount: { currency: payment.amount.currency, value: payment.amount.value },
    ...(paymentMethod === undefined ? {} : { paymentMethod }),
    reason: approved
      ? `${additionalData.authCode}:${last4}:${expiryMonth}/${expiryYear}`
      : answer.refusalReason,
    ...(approved ? { operations: ['CANCEL', 'CAPTURE', 'REFUND'] } : {}),
    additionalData,
  };
}

/**
 * CAPTURE_FAILED event (Adyen Standard webhooks v1). `success` is true although the merchant does not get the
 * money.
 */
export function captureFailedEvent(payment: KeptPayment, answer: PaymentResponse): NotificationEvent {
  const { paymentMethod } = answer.additionalData;
  return {
    eventCode: 'CAPTURE_FAILED',
    pspReference: derivedReference('capture', answer.pspReference),
    originalReference: answer.pspReference,
    merchantReference: payment.reference,
    success: true,
    amount: { currency: payment.amount.currency, value: payment.amount.value },
    ...(paymentMethod === undefined ? {} : { paymentMethod }),
    reason: 'Capture Failed',
    additionalData: {},
  };
}

/** OFFER_CLOSED event (Adyen Standard webhooks v1): the payment was never completed. */
export function offerClosedEvent(payment: KeptPayment, pspReference: string): NotificationEvent {
  return {
    eventCode: 'OFFER_CLOSED',
    pspReference,
    merchantReference: payment.reference,
    success: true,
    amount: { currency: payment.amount.currency, value: payment.amount.value },
    reason: '',
    additionalData: {},
  };
}

/** RECURRING_CONTRACT event with the token of a payment whose response had none. */
export function recurringContractEvent(
  payment: KeptPayment,
  pspReference: string,
  shopperReference: string,
  token: Token,
  brand: keyof typeof brandNames,
): NotificationEvent {
  return {
    eventCode: 'RECURRING_CONTRACT',
    pspReference: token.id,
    originalReference: pspReference,
    originalPsp: pspReference,
    merchantReference: payment.reference,
    success: true,
    amount: { currency: payment.amount.currency, value: 0 },
    paymentMethod: brandNames[brand],
    reason: '',
    additionalData: { shopperReference, 'recurring.recurringDetailReference': token.id },
  };
}
