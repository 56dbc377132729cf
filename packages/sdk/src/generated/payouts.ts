// Made from the contract by `npm run generate`; do not change it by hand.
import type { Provider } from './payment-create.ts';

export interface PayoutList {
  /** Always `list`. */
  object: 'list';
  /** The objects of this page. */
  data: Payout[];
  /** Whether there is a next page. */
  has_more: boolean;
  /** How many objects the whole list has. */
  total_count: number;
}

export interface Payout {
  /** `po_` and 24 lowercase letters and digits. */
  id: string;
  /** Always `payout`. */
  object: 'payout';
  /** The account's processor. */
  provider: Provider;
  /** Active ISO 4217 code in uppercase. */
  currency: string;
  /** Payments less refunds and chargebacks. In minor units, like the next two. */
  gross: number;
  /** What the processor kept. */
  fees: number;
  /** `gross` less `fees`: what was paid out. Below zero where the processor is owed. */
  net: number;
  /** Day of the payout in the report. */
  arrival_date: string;
  /** How many lines it has. */
  lines_count: number;
  /**
   * Lines of payments, refunds and chargebacks that do not match what is on record, and lines of
   * any type that another report has too.
   */
  unmatched_count: number;
  /** True with a live key, false in the sandbox. */
  livemode: boolean;
  /** Unix seconds. */
  created: number;
}

export interface PayoutListQuery {
  /** Page, from 1. */
  page?: number | undefined;
  /** Objects on a page. */
  per_page?: number | undefined;
}

export interface PayoutLineList {
  /** Always `list`. */
  object: 'list';
  /** The objects of this page. */
  data: PayoutLine[];
  /** Whether there is a next page. */
  has_more: boolean;
  /** How many objects the whole list has. */
  total_count: number;
}

export interface PayoutLine {
  /** `pol_` and 24 lowercase letters and digits. */
  id: string;
  /** Always `payout_line`. */
  object: 'payout_line';
  /** The `po_` id. */
  payout: string;
  /** What moved the money. */
  type: 'payment' | 'refund' | 'chargeback' | 'chargeback_reversed' | 'fee' | 'adjustment';
  /** `pay_` id; null where no payment of yours is meant, or none fits. */
  payment: string | null;
  /** `re_` id. */
  refund: string | null;
  /** `dsp_` id. */
  dispute: string | null;
  /** In minor units, like the next two; below zero where money went out. */
  gross: number;
  /** What the processor kept of it. */
  fee: number;
  /** `gross` less `fee`. */
  net: number;
  /** Active ISO 4217 code in uppercase. */
  currency: string;
  /** The processor's own reference. */
  upstream_reference: string;
}
