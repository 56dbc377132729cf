// Made from the contract by `npm run generate`; do not change it by hand.
import type { Provider } from './payments.ts';

export interface PayoutList {
  object: 'list';
  data: Payout[];
  has_more: boolean;
  total_count: number;
}

export interface Payout {
  id: string;
  object: 'payout';
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
  lines_count: number;
  /** Lines of payments, refunds and chargebacks that do not fit what is on record. */
  unmatched_count: number;
  livemode: boolean;
  /** Unix seconds. */
  created: number;
}

export interface PayoutListQuery {
  /** Page, from 1. */
  page?: number | undefined;
  per_page?: number | undefined;
}

export interface PayoutLineList {
  object: 'list';
  data: PayoutLine[];
  has_more: boolean;
  total_count: number;
}

export interface PayoutLine {
  id: string;
  object: 'payout_line';
  payout: string;
  type: 'payment' | 'refund' | 'chargeback' | 'chargeback_reversed' | 'fee' | 'adjustment';
  /** `pay_` id; null where no payment of yours is meant, or none fits. */
  payment: string | null;
  /** `re_` id. */
  refund: string | null;
  /** `dsp_` id. */
  dispute: string | null;
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
