// Made from the contract by `npm run generate`; do not change it by hand.
import type { CustomerMetadata, Metadata } from './customers.ts';

export interface PaymentLink {
  /** `pl_` and 24 lowercase letters and digits. */
  id: string;
  /** Always `payment_link`. */
  object: 'payment_link';
  /** What buyers open. It never changes. */
  url: string;
  /**
   * `active`: buyers can pay. `inactive`: switched off. `completed`: paid `max_payments` times.
   * `expired`: `expires_at` has passed.
   */
  status: PaymentLinkStatus;
  /** What is paid for. */
  title: string;
  /** More about it, on the page only. */
  description: string | null;
  /** Active ISO 4217 code in uppercase. */
  currency: string;
  /** Null: the buyer enters it. */
  amount: number | null;
  /** Null: `amount` is fixed. */
  amount_range: {
    /** The least, in the currency's minor units. */
    min: number;
    /** The most; not below `min`. */
    max: number;
    /** What the page offers at first. */
    suggested: number | null;
  } | null;
  /** How often it can be paid; null: any number of times. */
  max_payments: number | null;
  /** How many payments have succeeded. */
  payments_count: number;
  /** Null: it does not end. */
  expires_at: string | null;
  /** What the buyer has to fill in; null: nothing is asked. */
  reference_label: string | null;
  /** Whether the card or wallet is kept. */
  save_payment_method: boolean;
  /** Where the buyer goes after paying; null: our own page. */
  success_url: string | null;
  /** Where the buyer goes otherwise; null: our own page. */
  failure_url: string | null;
  /** String-to-string map for your own use. */
  metadata: Metadata;
  /** True with a live key, false in the sandbox. */
  livemode: boolean;
  /** Unix seconds. */
  created: number;
}

/**
 * `active`: buyers can pay. `inactive`: switched off. `completed`: paid `max_payments` times.
 * `expired`: `expires_at` has passed.
 */
export type PaymentLinkStatus = 'active' | 'inactive' | 'completed' | 'expired';

export interface PaymentLinkCreate {
  /** What is paid for, as the page says first of all; the description of each payment. */
  title: string;
  /** More about it, on the page only. */
  description?: string | undefined;
  /** Active ISO 4217 code in uppercase. */
  currency: string;
  /** Integer in the currency's minor units. */
  amount?: number | undefined;
  amount_range?: AmountRange | undefined;
  /** How often it can be paid: 1 for an invoice. Absent: any number of times. */
  max_payments?: number | undefined;
  /** From then on nobody can pay, `2026-12-31T23:59:59Z`: a time in UTC that is not over. */
  expires_at?: string | undefined;
  /**
   * Asks the buyer for something, such as an invoice number, and says what. It becomes the
   * `reference` of the payment.
   */
  reference_label?: string | undefined;
  /**
   * Asks for an e-mail address and keeps the card or wallet under a customer that links made with
   * it. Nothing is kept with a customer of your own, since anybody can enter any address.
   */
  save_payment_method?: boolean | undefined;
  /**
   * Where the buyer goes after paying: an https:// URL without fragment. Absent: our own page says
   * how it went.
   */
  success_url?: string | undefined;
  /**
   * Where the buyer goes otherwise: an https:// URL without fragment. Absent: our own page says how
   * it went.
   */
  failure_url?: string | undefined;
  /** Up to 20 keys of at most 40 characters; values of at most 500 characters. */
  metadata?: CustomerMetadata | undefined;
}

/** The buyer enters the amount, within these bounds. */
export interface AmountRange {
  /** The least, in the currency's minor units. */
  min: number;
  /** The most; not below `min`. */
  max: number;
  /** What the page offers at first. */
  suggested?: number | undefined;
}

export interface PaymentLinkUpdate {
  /** What is paid for, as the page says first of all; the description of each payment. */
  title?: string | undefined;
  /** More about it, on the page only; null clears it. */
  description?: string | null | undefined;
  /** Switches the link on or off. */
  status?: 'active' | 'inactive' | undefined;
  /** From then on nobody can pay: a time in UTC that is not over; null: it does not end. */
  expires_at?: string | null | undefined;
  /** How often it can be paid; null: any number of times. */
  max_payments?: number | null | undefined;
}

export interface PaymentLinkList {
  /** Always `list`. */
  object: 'list';
  /** The objects of this page. */
  data: PaymentLink[];
  /** Whether there is a next page. */
  has_more: boolean;
  /** How many objects the whole list has. */
  total_count: number;
}

export interface PaymentLinkListQuery {
  /** Page, from 1. */
  page?: number | undefined;
  /** Objects on a page. */
  per_page?: number | undefined;
  /**
   * `active`: buyers can pay. `inactive`: switched off. `completed`: paid `max_payments` times.
   * `expired`: `expires_at` has passed.
   */
  status?: PaymentLinkStatus | undefined;
}
