import type { BuyerOutcome } from '../../buyer/virtual-buyer.ts';
import type { Brand, Challenge, TestCard } from '../../directives/cards.ts';
import type { JsonObject } from '../../lib/json.ts';

/** What an order is made of, and what becomes of it. This is the shape in which orders are stored. */

export interface Money {
  readonly currency_code: string;
  readonly value: string;
}

/** What the issuer said (PayPal Orders v2, processor_response), with one member of the simulator's own. */
export interface ProcessorResponse {
  readonly avs_code?: string;
  readonly cvv_code?: string;
  readonly response_code: string;
  /** `21`: the cardholder has stopped every later charge (PayPal Orders v2, payment_advice_code). */
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

/** A card as it may be kept: neither its number nor its security code. */
export interface CardFacts {
  readonly name: string | null;
  readonly bin: string;
  readonly last4: string;
  /** `YYYY-MM`. */
  readonly expiry: string;
  /** Null for a number that is no published test card: it is never charged. */
  readonly brand: Brand | null;
  readonly avsCode: string;
  readonly cvvCode: string;
  /** The response code with which 3-D Secure stops the payment; null where it may be charged. */
  readonly stoppedBy: string | null;
  readonly challenge: Challenge | null;
  /** What 3-D Secure makes of the card wherever it is asked: a saved one meets it again. */
  readonly threeDSecure: Pick<TestCard, 'frictionless' | 'challenge'>;
}

/** How the payment source is to be kept once it has paid (PayPal Orders v2, vault instruction). */
export interface Saving {
  /** PayPal's own id of the customer: 10 digits. */
  readonly customerId: string;
  /** `merchant_customer_id`, else PayPal's own id. */
  readonly shopper: string;
  /** Whether a wallet has a token for each customer (`permit_multiple_payment_tokens`) or one for all. */
  readonly perCustomer: boolean;
}

/** What was kept, and whether the answer contains its token or only a later event does. */
export interface Vaulted {
  readonly token: string;
  readonly customerId: string;
  readonly announced: boolean;
}

/** The token that pays an order, and who asks for it (PayPal Orders v2, stored_credential). */
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
  /** The id of the authorization that this one replaces; absent where it is the first. */
  readonly reauthorizes?: string;
  readonly status: 'CREATED' | 'CAPTURED' | 'DENIED' | 'VOIDED';
  /** Null where the answer leaves it out, so that nothing says how long the hold is guaranteed. */
  readonly createdAt: string | null;
  readonly updatedAt: string;
  readonly expiresAt: string;
  readonly processorResponse: ProcessorResponse | null;
  readonly networkReference: string | null;
}

/** Money given back of a capture (PayPal Payments v2, refund). */
export interface Refund {
  readonly id: string;
  /** `custom_id`, by which the merchant's side knows the refund. */
  readonly reference: string;
  readonly invoiceId: string | null;
  readonly note: string | null;
  readonly amount: Money;
  /** The amount in the merchant's minor units. */
  readonly minorAmount: number;
  /** ISO 8601 with milliseconds. */
  readonly createdAt: string;
  /** What was decided already; what its note decides for later is read by `refundStatus`. */
  readonly status: RefundStatus;
  /** The request behind the refund, with the capture that it names. */
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
  /** `custom_id`, by which the merchant's side knows the order. */
  readonly reference: string;
  readonly invoiceId: string | null;
  readonly money: Money;
  /** The amount in the merchant's minor units. */
  readonly minorAmount: number;
  /** The purchase unit as it is shown again. */
  readonly unit: JsonObject;
  /** The request behind the order, without card number and security code. */
  readonly received: unknown;
  readonly directive: string | null;
  /** How the order began: a typed card is charged by the create call, the others later. */
  readonly origin: 'card' | 'card_fields' | 'wallet';
  readonly returnUrl: string | null;
  readonly cancelUrl: string | null;
  readonly brandName: string | null;
  readonly card: CardFacts | null;
  /** Null for an order that keeps nothing. */
  readonly saving: Saving | null;
  readonly vaulted: Vaulted | null;
  /** Null where nothing saved pays. */
  readonly stored: StoredUse | null;
  readonly authentication: Authentication | null;
  /** What the buyer did last on the approval or challenge page. */
  readonly buyer: BuyerOutcome | null;
  readonly authorization: Authorization | null;
  readonly capture: Capture | null;
  readonly refunds: readonly Refund[];
}

/** Date and time as PayPal writes them: UTC with seconds. */
export function internetTime(at: Date): string {
  return at.toISOString().replace(/\.\d{3}Z$/, 'Z');
}

const unapprovedMs = 3 * 60 * 60 * 1000;

/** Orders that are not completed exist for three hours, from creation and again from approval (PayPal Orders v2). */
export function isGone(order: Order, now: Date): boolean {
  if (order.status === 'COMPLETED') return false;
  return now.getTime() > Date.parse(order.approvedAt ?? order.createdAt) + unapprovedMs;
}
