// Made from the contract by `npm run generate`; do not change it by hand.
import type { Address, CustomerCreate } from './customers.ts';

export interface Payment {
  id: string;
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

export interface PaymentMethodSummary {
  type: 'card' | 'card_fields' | 'processor_b';
  brand: string | null;
  last4: string | null;
  exp_month?: number;
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
  message: string;
}

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

export interface NextAction {
  type:
    | 'processor_a_redirect'
    | 'processor_b_card_fields'
    | 'processor_b_wallet'
    | 'processor_b_payer_action';
  redirect_url?: string;
  checkout_url?: string;
}

/**
 * How the issuer compared address and security code with its own records (cards on processor_b).
 * `not_checked`: it did not, or nothing was sent. The payment is not refused for it.
 */
export interface AvsVerdict {
  /** As the issuer sent it, such as `Y` or `U`. */
  code: string;
  address: 'match' | 'no_match' | 'not_checked';
  postal_code: 'match' | 'no_match' | 'not_checked';
  cvc: 'match' | 'no_match' | 'not_checked';
}

export interface PaymentCreate {
  /** Integer in the currency's minor units. */
  amount: number;
  /** Active ISO 4217 code in uppercase. */
  currency: string;
  /** A `cus_` id or an object with the fields of a new customer. */
  customer?: string | CustomerCreate | undefined;
  /** Overrides the customer's for this payment; a malformed one is ignored. */
  billing_address?: Address | undefined;
  /** Overrides the customer's for this payment; a malformed one is ignored. */
  delivery_address?: Address | undefined;
  /** Your own name of the order; shown again. */
  reference?: string | undefined;
  /** What the buyer's card statement shows; cut to what the scheme takes. */
  shopper_statement?: string | undefined;
  /** The `pay_` id of an earlier payment of the same customer that this one renews. */
  renews_payment?: string | undefined;
  /** `manual` holds the money for you to capture or void; processor_b only. */
  capture_method?: 'automatic' | 'manual' | undefined;
  payment_method?: PaymentMethodInput | undefined;
  /**
   * Must add up to `amount` less `tax_amount`, `shipping_amount` and `handling_amount`, plus
   * `discount_amount`.
   */
  line_items?: LineItem[] | undefined;
  /** Tax, included in `amount` and never more. */
  tax_amount?: number | undefined;
  /** Included in `amount`. */
  shipping_amount?: number | undefined;
  /** Included in `amount`. */
  handling_amount?: number | undefined;
  /** Already taken off `amount`. */
  discount_amount?: number | undefined;
  /** Included in `amount`; level 3 data only. */
  duty_amount?: number | undefined;
  /** Your invoice number; level 2 data. */
  invoice_id?: string | undefined;
  /** Names the one line where no `line_items` are sent. */
  description?: string | undefined;
  /** Level 3 data only. */
  ships_from_postal_code?: string | undefined;
  /**
   * Whether to keep the card or wallet for later. Where it is left out the account's setting
   * decides, and nothing is kept without a customer.
   */
  save_payment_method?: boolean | undefined;
  /** A `pm_` id of the same customer, in place of `payment_method`. */
  stored_payment_method?: string | undefined;
  /** Charges the customer's newest active saved card. */
  use_last_payment_method?: boolean | undefined;
  /** The buyer is not there: no challenge and no approval. Saved methods only. */
  merchant_initiated?: boolean | undefined;
  /** What the method is kept for; a later charge takes it over. */
  recurring_processing_model?: 'card_on_file' | 'subscription' | 'unscheduled_card_on_file' | undefined;
  /**
   * processor_b only: flat object of at most 100 snake_case keys with scalar values. On processor_a
   * it has no effect, which the header `Service-Ignored-Fields` of the answer says.
   */
  stc?: Record<string, string | number | boolean> | undefined;
  /**
   * The buyer's IPv4 or IPv6 address, for the processor's risk checks. The address that calls this
   * API is never taken for it.
   */
  shopper_ip?: string | undefined;
  device_fingerprint?: string | undefined;
  browser_info?: BrowserInfo | undefined;
  /** Where the buyer returns after paying: an https:// URL without fragment. */
  success_url?: string | undefined;
  /** Where the buyer returns otherwise: an https:// URL without fragment. */
  failure_url?: string | undefined;
  /**
   * 3-D Secure of this payment: `automatic` asks for it, `always` for a challenge, `never` skips it
   * unless the connection says always.
   */
  authentication?: 'automatic' | 'always' | 'never' | undefined;
  provider?: Provider | undefined;
}

export interface PaymentMethodInput {
  /**
   * `card`: typed by the buyer on your side. `card_fields`: typed on the hosted page.
   * `processor_b`: the wallet. The last two are of processor_b and take no card details.
   */
  type: 'card' | 'card_fields' | 'processor_b';
  /** 12 to 19 digits; spaces and hyphens do not count. It may stand in no other field. */
  number?: string | undefined;
  exp_month?: number | undefined;
  /** Four digits; the month must not be over. */
  exp_year?: number | undefined;
  /** 3 or 4 digits. */
  cvc?: string | undefined;
  /** Required on every card payment; not only white space, and no digits of a card. */
  holder_name?: string | undefined;
}

export interface LineItem {
  name: string;
  unit_amount: number;
  quantity?: number | undefined;
  /** On one unit. */
  tax?: number | undefined;
  sku?: string | undefined;
  description?: string | undefined;
  url?: string | undefined;
  image_url?: string | undefined;
  upc?: Upc | undefined;
  category?: 'PHYSICAL_GOODS' | 'DIGITAL_GOODS' | 'DONATION' | undefined;
  commodity_code?: string | undefined;
  unit_of_measure?: string | undefined;
}

export interface Upc {
  type?: string | undefined;
  /** 6 to 17 digits. */
  code: string;
}

export interface BrowserInfo {
  user_agent?: string | undefined;
  accept_header?: string | undefined;
  language?: string | undefined;
  screen_height?: number | undefined;
  screen_width?: number | undefined;
  color_depth?: number | undefined;
  /** Minutes. */
  time_zone_offset?: number | undefined;
  java_enabled?: boolean | undefined;
}

export type Provider = 'processor_a' | 'processor_b';

export interface PaymentList {
  object: 'list';
  data: Payment[];
  has_more: boolean;
  total_count: number;
}

export interface PaymentListQuery {
  /** Page, from 1. */
  page?: number | undefined;
  per_page?: number | undefined;
  /**
   * `requires_action`: waits for its buyer, nothing is charged. `authorized`: the money is held.
   * `succeeded`: it was collected. `failed`: nothing was, and nothing will be. `voided`: a hold
   * that was released.
   */
  status?: PaymentStatus | undefined;
  customer?: string | undefined;
  reference?: string | undefined;
  /** Unix seconds, inclusive. */
  created_gte?: number | undefined;
  /** Unix seconds, exclusive. */
  created_lt?: number | undefined;
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
