// Made from the contract by `npm run generate`; do not change it by hand.
import type { Address, CustomerCreate } from './customers.ts';

export interface Payment {
  id: string;
  object: 'payment';
  /** Integer in the currency's minor units. */
  amount: number;
  /** Active ISO 4217 code in uppercase. */
  currency: string;
  status: PaymentStatus;
  reference: string | null;
  shopper_statement: string | null;
  customer: string | null;
  payment_method: PaymentMethodSummary;
  payment_method_id: string | null;
  renews_payment: string | null;
  capture_method?: 'manual';
  failure: Failure | null;
  authorization_guaranteed_until?: string;
  authorization_expires?: string;
  three_d_secure?: ThreeDSecure;
  next_action?: NextAction;
  avs?: AvsVerdict;
  livemode: boolean;
  /** Unix seconds. */
  created: number;
}

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
   * 3ds_abandoned, 3ds_token_expired, 3ds_not_available, confirmation_expired. New codes may be
   * added.
   */
  code: string;
  message: string;
}

export interface ThreeDSecure {
  /** `POSSIBLE` or `YES`: shift obtained; `NO`, `UNKNOWN`: no shift. */
  liability_shift: string;
  enrollment_status?: string;
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

export interface AvsVerdict {
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
  delivery_address?: Address | undefined;
  reference?: string | undefined;
  shopper_statement?: string | undefined;
  capture_method?: 'automatic' | 'manual' | undefined;
  payment_method?: PaymentMethodInput | undefined;
  line_items?: LineItem[] | undefined;
  tax_amount?: number | undefined;
  shipping_amount?: number | undefined;
  handling_amount?: number | undefined;
  discount_amount?: number | undefined;
  duty_amount?: number | undefined;
  invoice_id?: string | undefined;
  description?: string | undefined;
  ships_from_postal_code?: string | undefined;
  /** processor_b only: flat object of at most 100 snake_case keys with scalar values. */
  stc?: Record<string, string | number | boolean> | undefined;
  save_payment_method?: boolean | undefined;
  /** A `pm_` id. */
  stored_payment_method?: string | undefined;
  use_last_payment_method?: boolean | undefined;
  merchant_initiated?: boolean | undefined;
  recurring_processing_model?: 'card_on_file' | 'subscription' | 'unscheduled_card_on_file' | undefined;
  /** A `pay_` id. */
  renews_payment?: string | undefined;
  /** An IPv4 or IPv6 address. */
  shopper_ip?: string | undefined;
  device_fingerprint?: string | undefined;
  browser_info?: BrowserInfo | undefined;
  /** An https:// URL without fragment. */
  success_url?: string | undefined;
  /** An https:// URL without fragment. */
  failure_url?: string | undefined;
  authentication?: 'automatic' | 'always' | 'never' | undefined;
  provider?: Provider | undefined;
}

export interface PaymentMethodInput {
  type: 'card' | 'card_fields' | 'processor_b';
  /** 12 to 19 digits. */
  number?: string | undefined;
  exp_month?: number | undefined;
  /** Four digits; the month must not be over. */
  exp_year?: number | undefined;
  /** 3 or 4 digits. */
  cvc?: string | undefined;
  holder_name?: string | undefined;
}

export interface LineItem {
  name: string;
  unit_amount: number;
  quantity?: number | undefined;
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
  status?: PaymentStatus | undefined;
  customer?: string | undefined;
  reference?: string | undefined;
  /** Unix seconds, inclusive. */
  created_gte?: number | undefined;
  /** Unix seconds, exclusive. */
  created_lt?: number | undefined;
  payment_method_type?: 'card' | 'card_fields' | 'processor_b' | undefined;
}
