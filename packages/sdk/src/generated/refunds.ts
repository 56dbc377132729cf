// Made from the contract by `npm run generate`; do not change it by hand.
import type { Metadata } from './customers.ts';

export interface Refund {
  /** `re_` and 24 lowercase letters and digits. */
  id: string;
  /** Always `refund`. */
  object: 'refund';
  /** The `pay_` id. */
  payment: string;
  /** Integer in the currency's minor units. */
  amount: number;
  /** Active ISO 4217 code in uppercase. */
  currency: string;
  /**
   * `pending`: the processor has not settled it yet. A `succeeded` one becomes `failed` where the
   * scheme takes it back.
   */
  status: RefundStatus;
  /** As you sent it. */
  reason: 'duplicate' | 'fraudulent' | 'requested_by_customer' | 'other' | null;
  /** As you sent it. */
  note: string | null;
  /** Why it has failed, where `status` is `failed`. */
  failure: {
    /** Stable; in lower case. New codes may be added. */
    code: string;
    /** For people; may change. */
    message: string;
  } | null;
  /** String-to-string map for your own use. */
  metadata: Metadata;
  /** True with a live key, false in the sandbox. */
  livemode: boolean;
  /** Unix seconds. */
  created: number;
}

/**
 * `pending`: the processor has not settled it yet. A `succeeded` one becomes `failed` where the
 * scheme takes it back.
 */
export type RefundStatus = 'pending' | 'succeeded' | 'failed';

export interface RefundCreate {
  /** In minor units. Left out: all that is left of the payment. */
  amount?: number | undefined;
  /** Why, for your own records. */
  reason?: 'duplicate' | 'fraudulent' | 'requested_by_customer' | 'other' | undefined;
  /** For the buyer too: processor_b shows them the first 255 characters. */
  note?: string | undefined;
  /** At most 50 keys, each at most 100 and its value at most 500 bytes in UTF-8. */
  metadata?: Record<string, string> | undefined;
}

export interface RefundList {
  /** Always `list`. */
  object: 'list';
  /** The objects of this page. */
  data: Refund[];
  /** Whether there is a next page. */
  has_more: boolean;
  /** How many objects the whole list has. */
  total_count: number;
}

export interface RefundListQuery {
  /** Page, from 1. */
  page?: number | undefined;
  /** Objects on a page. */
  per_page?: number | undefined;
}

export interface ApprovalList {
  /** Always `list`. */
  object: 'list';
  /** The objects of this page. */
  data: Approval[];
  /** Whether there is a next page. */
  has_more: boolean;
  /** How many objects the whole list has. */
  total_count: number;
}

export interface Approval {
  /** `apr_` and 24 lowercase letters and digits. */
  id: string;
  /** Always `approval`. */
  object: 'approval';
  /** `pending`: nobody has decided. `expired`: nobody did in time. */
  status: 'pending' | 'approved' | 'refused' | 'expired';
  /** What is done when it is approved. */
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
    /** An error code; match on it. */
    code: string;
    /** For people; may change. */
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
  /** True with a live key, false in the sandbox. */
  livemode: boolean;
  /** Unix seconds. */
  created: number;
}

export interface ApprovalListQuery {
  /** Page, from 1. */
  page?: number | undefined;
  /** Objects on a page. */
  per_page?: number | undefined;
  /** Only those with this status. */
  status?: 'pending' | 'approved' | 'refused' | 'expired' | undefined;
}
