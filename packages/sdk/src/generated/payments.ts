// Made from the contract by `npm run generate`; do not change it by hand.

export interface Payment {
  /** `pay_` and 24 lowercase letters and digits. */
  id: string;
  /** Always `payment`. */
  object: 'payment';
  /** Integer in the currency's minor units. */
  amount: number;
  /** Active ISO 4217 code in uppercase. */
  currency: string;
  /**
   * `requires_action`: waits for its buyer, nothing is charged. `authorized`: the money is held.
   * `succeeded`: it was collected. `failed`: nothing was, and nothing will be. `voided`: a hold
   * that was released.
   */
  status: PaymentStatus;
  /** As you sent it. */
  reference: string | null;
  /** As you sent it; the card scheme may show less. */
  shopper_statement: string | null;
  /** The `pay_` id that the request named. */
  renews_payment: string | null;
  /** The `cus_` id; null where none is attached. */
  customer: string | null;
  /** What pays, without anything that could be charged. */
  payment_method: PaymentMethodSummary;
  /** The `pm_` id of the saved card or wallet. Null: nothing is saved, or not confirmed yet. */
  payment_method_id: string | null;
  /** On holds only. */
  capture_method?: 'manual';
  /** Why it has failed, where `status` is `failed`. */
  failure: Failure | null;
  /** On holds: until then the issuer honours the capture. Absent where that is not known. */
  authorization_guaranteed_until?: string;
  /** On holds: after that nothing can be captured. */
  authorization_expires?: string;
  three_d_secure?: ThreeDSecure;
  next_action?: NextAction;
  avs?: AvsVerdict;
  /** The `pl_` id of the payment link with which the buyer paid. */
  payment_link?: string;
  /** True with a live key, false in the sandbox. */
  livemode: boolean;
  /** Unix seconds. */
  created: number;
}

/**
 * `requires_action`: waits for its buyer, nothing is charged. `authorized`: the money is held.
 * `succeeded`: it was collected. `failed`: nothing was, and nothing will be. `voided`: a hold
 * that was released.
 */
export type PaymentStatus = 'requires_action' | 'authorized' | 'succeeded' | 'failed' | 'voided';

/** What pays, without anything that could be charged. */
export interface PaymentMethodSummary {
  /** What the request named: a card, card fields, or the wallet (`processor_b`). */
  type: 'card' | 'card_fields' | 'processor_b';
  /** In lower case, such as `visa`; null for a wallet, and before card fields are confirmed. */
  brand: string | null;
  /** Last four digits of the card; null where `brand` is. */
  last4: string | null;
  /** 1 to 12; on cards only. */
  exp_month?: number;
  /** Four digits; on cards only. */
  exp_year?: number;
}

export interface Failure {
  /**
   * Stable; one of refused, do_not_honor, expired_card, insufficient_funds, invalid_cvv,
   * invalid_card, restricted_card, declined, lost_card, stolen_card, pickup_card, 3ds_failed,
   * 3ds_abandoned, 3ds_token_expired, 3ds_not_available, confirmation_expired, not_processed. New
   * codes may be added.
   */
  code: string;
  /** For you, not for the buyer; may change. */
  message: string;
}

/** What 3-D Secure came to, as the processor reported it. Absent where nothing was reported. */
export interface ThreeDSecure {
  /** `POSSIBLE` or `YES`: shift obtained; `NO`, `UNKNOWN`: no shift. */
  liability_shift: string;
  /** Whether the card takes part: `Y`, `N`, or `U` where that is not known. */
  enrollment_status?: string;
  /**
   * What the bank said: `Y` authenticated, `A` attempted, `N` failed, `R` rejected, `C` asked for a
   * challenge, `U` not possible.
   */
  authentication_status?: string;
}

/** Where to send the buyer; only while the payment waits and its 15 minutes are not over. */
export interface NextAction {
  /** What the payment waits for; says which addresses there are. */
  type:
    | 'processor_a_redirect'
    | 'processor_b_card_fields'
    | 'processor_b_wallet'
    | 'processor_b_payer_action';
  /** Page of the bank or wallet. Confirm when the buyer is back from it. */
  redirect_url?: string;
  /** Hosted page of this payment, which confirms by itself. */
  checkout_url?: string;
}

/**
 * How the issuer compared address and security code with its own records (cards on processor_b).
 * `not_checked`: it did not, or nothing was sent. The payment is not refused for it.
 */
export interface AvsVerdict {
  /** As the issuer sent it, such as `Y` or `U`. */
  code: string;
  /** Whether the street address fits the issuer's records. */
  address: 'match' | 'no_match' | 'not_checked';
  /** Whether the postal code fits the issuer's records. */
  postal_code: 'match' | 'no_match' | 'not_checked';
  /** Whether the security code fits the issuer's records. */
  cvc: 'match' | 'no_match' | 'not_checked';
}

export interface PaymentList {
  /** Always `list`. */
  object: 'list';
  /** The objects of this page. */
  data: Payment[];
  /** Whether there is a next page. */
  has_more: boolean;
  /** How many objects the whole list has. */
  total_count: number;
}

export interface PaymentListQuery {
  /** Page, from 1. */
  page?: number | undefined;
  /** Objects on a page. */
  per_page?: number | undefined;
  /**
   * `requires_action`: waits for its buyer, nothing is charged. `authorized`: the money is held.
   * `succeeded`: it was collected. `failed`: nothing was, and nothing will be. `voided`: a hold
   * that was released.
   */
  status?: PaymentStatus | undefined;
  /** The `cus_` id of a customer. */
  customer?: string | undefined;
  /** Exact match. */
  reference?: string | undefined;
  /** Unix seconds, inclusive. */
  created_gte?: number | undefined;
  /** Unix seconds, exclusive. */
  created_lt?: number | undefined;
  /** The `payment_method.type` of the payment. */
  payment_method_type?: 'card' | 'card_fields' | 'processor_b' | undefined;
  /** The `pl_` id of a payment link. */
  payment_link?: string | undefined;
}

export interface PaymentCapture {
  /**
   * May be left out. If it is sent it must be the payment's whole amount: there is no partial
   * capture.
   */
  amount?: number | undefined;
}
