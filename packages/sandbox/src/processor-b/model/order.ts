import type { BuyerOutcome } from '../../buyer/virtual-buyer.ts';
import type { Brand, Challenge, TestCard } from '../../directives/cards.ts';
import type { JsonObject } from '../../lib/json.ts';

/** The stored representation of an order, and the rules for its lifetime. */

export interface Money {
  readonly currency_code: string;
  readonly value: string;
}

/**
 * The issuer's response (PayPal Orders v2, processor_response), with one additional field of the simulator.
 */
export interface ProcessorResponse {
  readonly avs_code?: string;
  readonly cvv_code?: string;
  readonly response_code: string;
  /** `21`: the cardholder has stopped all later charges (PayPal Orders v2, payment_advice_code). */
  readonly payment_advice_code?: '21';
  readonly simulator_reason?: string;
}

/** The outcome of 3-D Secure (PayPal Orders v2, authentication_response). */
export interface Authentication {
  readonly liability_shift: 'POSSIBLE' | 'NO' | 'UNKNOWN';
  readonly three_d_secure: {
    readonly enrollment_status: 'Y' | 'N' | 'U';
    readonly authentication_status?: 'Y' | 'N' | 'U' | 'A' | 'R' | 'C';
  };
}

/** The stored part of a card, without its number and security code. */
export interface CardFacts {
  readonly name: string | null;
  readonly bin: string;
  readonly last4: string;
  /** `YYYY-MM`. */
  readonly expiry: string;
  /** Null if the number is not a published test card. Such a card is never charged. */
  readonly brand: Brand | null;
  readonly avsCode: string;
  readonly cvvCode: string;
  /** The response code with which 3-D Secure stops the payment. Null if the card may be charged. */
  readonly stoppedBy: string | null;
  readonly challenge: Challenge | null;
  /** The card's 3-D Secure behaviour, which also applies to later payments if the card is saved. */
  readonly threeDSecure: Pick<TestCard, 'frictionless' | 'challenge'>;
}

/** How to save the payment source after the payment (PayPal Orders v2, vault instruction). */
export interface Saving {
  /** PayPal's own id of the customer: 10 digits. */
  readonly customerId: string;
  /** `merchant_customer_id`, or PayPal's own id if there is none. */
  readonly shopper: string;
  /** Whether a wallet has a token for each customer (`permit_multiple_payment_tokens`) or one for all. */
  readonly perCustomer: boolean;
}

/**
 * What was saved. `announced` is false if the response does not contain the token and only a later event
 * does.
 */
export interface Vaulted {
  readonly token: string;
  readonly customerId: string;
  readonly announced: boolean;
}

/** The token that pays an order, and who initiates the charge (PayPal Orders v2, stored_credential). */
export interface StoredUse {
  readonly token: string;
  readonly initiator: 'CUSTOMER' | 'MERCHANT';
}

export interface Capture {
  readonly id: string;
  readonly status: 'COMPLETED' | 'DECLINED';
  readonly amount: Money;
  /** The amount in the merchant's minor units. */
  readonly minorAmount: number;
  readonly createdAt: string;
  readonly finalCapture: boolean;
  readonly processorResponse: ProcessorResponse | null;
  readonly networkReference: string | null;
}

export interface Authorization {
  readonly id: string;
  /** The id of the authorization that this one replaces. Absent for the first one. */
  readonly reauthorizes?: string;
  readonly status: 'CREATED' | 'CAPTURED' | 'DENIED' | 'VOIDED';
  /** Null if the response leaves it out. Then the end of the guaranteed period is unknown. */
  readonly createdAt: string | null;
  readonly updatedAt: string;
  readonly expiresAt: string;
  readonly processorResponse: ProcessorResponse | null;
  readonly networkReference: string | null;
}

/** A refund of a capture (PayPal Payments v2, refund). */
export interface Refund {
  readonly id: string;
  /** `custom_id`, the merchant's own id of the refund. */
  readonly reference: string;
  readonly invoiceId: string | null;
  readonly note: string | null;
  readonly amount: Money;
  /** The amount in the merchant's minor units. */
  readonly minorAmount: number;
  /** ISO 8601 with milliseconds. */
  readonly createdAt: string;
  /** The status decided so far. `refundStatus` also considers what the note decides for later. */
  readonly status: RefundStatus;
  /** The request behind the refund, with the id of its capture. */
  readonly received: JsonObject;
}

export type RefundStatus = 'PENDING' | 'COMPLETED' | 'FAILED';

export type OrderStatus = 'CREATED' | 'APPROVED' | 'PAYER_ACTION_REQUIRED' | 'COMPLETED';

export interface Order {
  readonly id: string;
  readonly merchantAccount: string;
  readonly status: OrderStatus;
  readonly intent: 'CAPTURE' | 'AUTHORIZE';
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly approvedAt: string | null;
  /** `custom_id`, the merchant's own id of the order. */
  readonly reference: string;
  readonly invoiceId: string | null;
  readonly money: Money;
  /** The amount in the merchant's minor units. */
  readonly minorAmount: number;
  /** The purchase unit as responses repeat it. */
  readonly unit: JsonObject;
  /** The request behind the order, without card number and security code. */
  readonly received: unknown;
  readonly directive: string | null;
  /** How the order began. The create call charges a typed card; the others are charged later. */
  readonly origin: 'card' | 'card_fields' | 'wallet';
  readonly returnUrl: string | null;
  readonly cancelUrl: string | null;
  readonly brandName: string | null;
  readonly card: CardFacts | null;
  /** Null if the order saves nothing. */
  readonly saving: Saving | null;
  readonly vaulted: Vaulted | null;
  /** Null if no saved instrument pays. */
  readonly stored: StoredUse | null;
  readonly authentication: Authentication | null;
  /** What the buyer did last on the approval or challenge page. */
  readonly buyer: BuyerOutcome | null;
  readonly authorization: Authorization | null;
  readonly capture: Capture | null;
  readonly refunds: readonly Refund[];
}

/** Formats a time as PayPal does: UTC with seconds. */
export function internetTime(at: Date): string {
  return at.toISOString().replace(/\.\d{3}Z$/, 'Z');
}

const unapprovedMs = 3 * 60 * 60 * 1000;

/**
 * Whether an order no longer exists. Uncompleted orders exist for three hours after their creation, and for
 * three hours after their approval (PayPal Orders v2).
 */
export function isGone(order: Order, now: Date): boolean {
  if (order.status === 'COMPLETED') return false;
  return now.getTime() > Date.parse(order.approvedAt ?? order.createdAt) + unapprovedMs;
}
