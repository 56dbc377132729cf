// Made from the contract by `npm run generate`; do not change it by hand.
import type { Metadata } from './customers.ts';
import type { PaymentMethodSummary } from './payments.ts';

export interface DisputeList {
  /** Always `list`. */
  object: 'list';
  /** The objects of this page. */
  data: Dispute[];
  /** Whether there is a next page. */
  has_more: boolean;
  /** How many objects the whole list has. */
  total_count: number;
}

export interface Dispute {
  /** `dsp_` and 24 lowercase letters and digits. */
  id: string;
  /** Always `dispute`. */
  object: 'dispute';
  /** The `pay_` id. */
  payment: string;
  /** The `cus_` id; null where none is attached. */
  customer: string | null;
  /** In the currency's minor units; may be less than the payment's. */
  amount: number;
  /** ISO 4217 code in uppercase. */
  currency: string;
  /**
   * `information_request`: the issuer asks for documents, no money has moved. `chargeback`: the
   * money was taken back. `pre_arbitration`: the issuer rejected the defence.
   * `scheme_arbitration`: the card scheme decides. `second_chargeback`: raised again after it was
   * reversed.
   */
  state:
    | 'information_request'
    | 'chargeback'
    | 'pre_arbitration'
    | 'scheme_arbitration'
    | 'second_chargeback';
  /**
   * `action_required`: accept or defend before `respond_by`. `challenged`: the defence is with the
   * issuer. `accepted`: given up, or not answered in time. `recovered`: lost, and reversed later.
   */
  status: 'new' | 'action_required' | 'challenged' | 'recovered' | 'accepted' | 'lost' | 'won';
  /** Why the buyer disputes it: the card network's reason in words that do not change. */
  reason:
    | 'fraudulent'
    | 'authorization'
    | 'processing_error'
    | 'duplicate'
    | 'paid_by_other_means'
    | 'incorrect_amount'
    | 'product_not_received'
    | 'product_unacceptable'
    | 'subscription_canceled'
    | 'credit_not_processed'
    | 'general';
  /** Until when to answer, ISO 8601 in UTC; null where the processor names no deadline. */
  respond_by: string | null;
  /** ISO 8601 in UTC. */
  raised_at: string;
  /** What pays, without anything that could be charged. */
  payment_method: PaymentMethodSummary;
  /** The acquirer's reference number, where it was returned. */
  arn: string | null;
  /** String-to-string map for your own use. */
  metadata: Metadata;
  /** True with a live key, false in the sandbox. */
  livemode: boolean;
  /** Unix seconds. */
  created: number;
}

export interface DisputeListQuery {
  /** Page, from 1. */
  page?: number | undefined;
  /** Objects on a page. */
  per_page?: number | undefined;
  /**
   * `information_request`: the issuer asks for documents, no money has moved. `chargeback`: the
   * money was taken back. `pre_arbitration`: the issuer rejected the defence.
   * `scheme_arbitration`: the card scheme decides. `second_chargeback`: raised again after it was
   * reversed.
   */
  state?:
    | 'information_request'
    | 'chargeback'
    | 'pre_arbitration'
    | 'scheme_arbitration'
    | 'second_chargeback'
    | undefined;
  /**
   * `action_required`: accept or defend before `respond_by`. `challenged`: the defence is with the
   * issuer. `accepted`: given up, or not answered in time. `recovered`: lost, and reversed later.
   */
  status?: 'new' | 'action_required' | 'challenged' | 'recovered' | 'accepted' | 'lost' | 'won' | undefined;
  /** The `pay_` id of a payment. */
  payment?: string | undefined;
  /** Unix seconds, inclusive. */
  created_gte?: number | undefined;
  /** Unix seconds, exclusive. */
  created_lt?: number | undefined;
}

export interface DisputeDefend {
  /** One of the processor's defence reasons; the first that fits where none is named. */
  reason_code?: string | undefined;
  /** Why the payment is right, in your own words. */
  statement?: string | undefined;
  /** May be empty where a `statement` is sent. */
  evidence: DisputeEvidence[];
}

export interface DisputeEvidence {
  /** What it proves or is. */
  type:
    | 'receipt'
    | 'proof_of_delivery'
    | 'shipping_documentation'
    | 'customer_communication'
    | 'customer_signature'
    | 'service_documentation'
    | 'refund_policy'
    | 'cancellation_policy'
    | 'proof_of_refund'
    | 'recurring_agreement'
    | 'duplicate_charge_documentation'
    | 'access_activity_log'
    | 'other';
  /** In words; with a file, or alone. */
  text?: string | undefined;
  /** The `file_` id of an uploaded file. */
  file?: string | undefined;
}
