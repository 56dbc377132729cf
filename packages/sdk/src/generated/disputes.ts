// Made from the contract by `npm run generate`; do not change it by hand.
import type { Metadata } from './customers.ts';
import type { PaymentMethodSummary } from './payments.ts';

export interface DisputeList {
  object: 'list';
  data: Dispute[];
  has_more: boolean;
  total_count: number;
}

export interface Dispute {
  id: string;
  object: 'dispute';
  payment: string;
  customer: string | null;
  /** In the currency's minor units; may be less than the payment's. */
  amount: number;
  currency: string;
  state:
    | 'information_request'
    | 'chargeback'
    | 'pre_arbitration'
    | 'scheme_arbitration'
    | 'second_chargeback';
  status: 'new' | 'action_required' | 'challenged' | 'recovered' | 'accepted' | 'lost' | 'won';
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
  respond_by: string | null;
  /** ISO 8601 in UTC. */
  raised_at: string;
  payment_method: PaymentMethodSummary;
  arn: string | null;
  /** String-to-string map for your own use. */
  metadata: Metadata;
  livemode: boolean;
  /** Unix seconds. */
  created: number;
}

export interface DisputeListQuery {
  /** Page, from 1. */
  page?: number | undefined;
  per_page?: number | undefined;
  state?:
    | 'information_request'
    | 'chargeback'
    | 'pre_arbitration'
    | 'scheme_arbitration'
    | 'second_chargeback'
    | undefined;
  status?: 'new' | 'action_required' | 'challenged' | 'recovered' | 'accepted' | 'lost' | 'won' | undefined;
  payment?: string | undefined;
  /** Unix seconds, inclusive. */
  created_gte?: number | undefined;
  /** Unix seconds, exclusive. */
  created_lt?: number | undefined;
}

export interface DisputeDefend {
  /** One of the processor's defence reasons; the first that fits where none is named. */
  reason_code?: string | undefined;
  statement?: string | undefined;
  evidence: DisputeEvidence[];
}

export interface DisputeEvidence {
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
  text?: string | undefined;
  /** The `file_` id of an uploaded file. */
  file?: string | undefined;
}
