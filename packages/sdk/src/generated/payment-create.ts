// Made from the contract by `npm run generate`; do not change it by hand.
import type { Address, CustomerCreate } from './customers.ts';

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
  /** What your page's risk script calls the buyer's device. */
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
  /** A check: any other than the account's processor is `provider_not_configured`. */
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
  /** 1 to 12. */
  exp_month?: number | undefined;
  /** Four digits; the month must not be over. */
  exp_year?: number | undefined;
  /** 3 or 4 digits. */
  cvc?: string | undefined;
  /** Required on every card payment; not only white space, and no digits of a card. */
  holder_name?: string | undefined;
}

export interface LineItem {
  /** What the buyer reads. */
  name: string;
  /** Price of one unit, in minor units, without `tax`. */
  unit_amount: number;
  /** Number of units. */
  quantity?: number | undefined;
  /** Tax on one unit, in minor units. */
  tax?: number | undefined;
  /** Your article number. */
  sku?: string | undefined;
  /** More about the item. */
  description?: string | undefined;
  /** Page of the item in your shop. */
  url?: string | undefined;
  /** Picture of the item. */
  image_url?: string | undefined;
  /** Universal Product Code of the item. */
  upc?: Upc | undefined;
  /** What is sold; `PHYSICAL_GOODS` where it is left out. */
  category?: 'PHYSICAL_GOODS' | 'DIGITAL_GOODS' | 'DONATION' | undefined;
  /** Classification of the goods; level 3 data. */
  commodity_code?: string | undefined;
  /** What a unit is, such as `KGM`; level 3 data. */
  unit_of_measure?: string | undefined;
}

/** Universal Product Code of the item. */
export interface Upc {
  /** Such as `UPC-A`, which is assumed for 12 digits. */
  type?: string | undefined;
  /** 6 to 17 digits. */
  code: string;
}

/** The buyer's browser, for 3-D Secure and risk checks. */
export interface BrowserInfo {
  /** `navigator.userAgent`. */
  user_agent?: string | undefined;
  /** The header `Accept` of the buyer's request to you. */
  accept_header?: string | undefined;
  /** `navigator.language`. */
  language?: string | undefined;
  /** `screen.height`, in pixels. */
  screen_height?: number | undefined;
  /** `screen.width`, in pixels. */
  screen_width?: number | undefined;
  /** `screen.colorDepth`, in bits. */
  color_depth?: number | undefined;
  /** `Date.prototype.getTimezoneOffset`, in minutes. */
  time_zone_offset?: number | undefined;
  /** `navigator.javaEnabled()`. */
  java_enabled?: boolean | undefined;
}

/** The account's processor. */
export type Provider = 'processor_a' | 'processor_b';
