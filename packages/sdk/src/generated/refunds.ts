// Made from the contract by `npm run generate`; do not change it by hand.
import type { Metadata } from './customers.ts';

export interface Refund {
  id: string;
  object: 'refund';
  payment: string;
  /** Integer in the currency's minor units. */
  amount: number;
  /** Active ISO 4217 code in uppercase. */
  currency: string;
  status: RefundStatus;
  reason: 'duplicate' | 'fraudulent' | 'requested_by_customer' | 'other' | null;
  note: string | null;
  failure: {
    /** Stable; in lower case. New codes may be added. */
    code: string;
    message: string;
  } | null;
  /** String-to-string map for your own use. */
  metadata: Metadata;
  livemode: boolean;
  /** Unix seconds. */
  created: number;
}

export type RefundStatus = 'pending' | 'succeeded' | 'failed';

export interface RefundCreate {
  /** Integer in the currency's minor units. */
  amount?: number | undefined;
  reason?: 'duplicate' | 'fraudulent' | 'requested_by_customer' | 'other' | undefined;
  note?: string | undefined;
  /** At most 50 keys, each at most 100 and its value at most 500 bytes in UTF-8. */
  metadata?: Record<string, string> | undefined;
}

export interface RefundList {
  object: 'list';
  data: Refund[];
  has_more: boolean;
  total_count: number;
}

export interface RefundListQuery {
  /** Page, from 1. */
  page?: number | undefined;
  per_page?: number | undefined;
}

export interface ApprovalList {
  object: 'list';
  data: Approval[];
  has_more: boolean;
  total_count: number;
}

export interface Approval {
  id: string;
  object: 'approval';
  /** `pending`: nobody has decided. `expired`: nobody did in time. */
  status: 'pending' | 'approved' | 'refused' | 'expired';
  action: 'refund' | 'capture' | 'payment_link';
  /** Of a payment link the largest amount that a buyer could pay with it. */
  amount: number;
  /** Active ISO 4217 code in uppercase. */
  currency: string;
  /** What it is about: the `pay_` id; null for a payment link, which is made when it is approved. */
  resource: string | null;
  /**
   * What came of it once it ran: the `re_` id of the refund, the `pay_` id of the captured payment,
   * the `pl_` id of the payment link.
   */
  result: string | null;
  /** Why it could not be done after it was approved, as an error would say it. */
  failure: {
    code: string;
    message: string;
  } | null;
  /** Id of the API key that asked, or of the person in the dashboard: `usr_`. */
  requested_by: string;
  /** E-mail address of the person who asked; null: an API key did. */
  requester_email: string | null;
  /** E-mail address of the person who decided; `operator` at the command line. */
  decided_by: string | null;
  /** Why it was decided so, where the person said it. */
  reason: string | null;
  /** ISO 8601 in UTC: 72 hours after it was asked for. */
  expires_at: string;
  livemode: boolean;
  /** Unix seconds. */
  created: number;
}

export interface ApprovalListQuery {
  /** Page, from 1. */
  page?: number | undefined;
  per_page?: number | undefined;
  status?: 'pending' | 'approved' | 'refused' | 'expired' | undefined;
}
