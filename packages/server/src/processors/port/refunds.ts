/** Processor-independent types for refunds. Amounts are in minor units. */
import type { NoAnswer, UpstreamIds } from './answers.ts';

export type RefundReason = 'duplicate' | 'fraudulent' | 'requested_by_customer' | 'other';

export interface RefundRequest {
  readonly refundId: string;
  readonly paymentId: string;
  /** Our idempotency key at the upstream: the same on every try of this refund. */
  readonly upstreamKey: string;
  /** An earlier request under this key may have been carried out. */
  readonly isRepeat?: true;
  /** The upstream's ids of the payment. */
  readonly upstream: UpstreamIds;
  readonly amount: number;
  readonly currency: string;
  readonly reason: RefundReason | null;
  readonly note: string | null;
}

/** Why the processor did not refund: a stable code in lower case, and a message for people. */
export interface RefundFailure {
  readonly code: string;
  readonly message: string;
}

export type RefundOutcome =
  /** Accepted; the upstream's notification reports the outcome. */
  | { readonly kind: 'pending'; readonly upstreamId: string }
  | { readonly kind: 'succeeded'; readonly upstreamId: string }
  | { readonly kind: 'failed'; readonly upstreamId: string | null; readonly failure: RefundFailure }
  | NoAnswer;

export interface RefundLookUp {
  readonly upstreamId: string;
  readonly amount: number;
  readonly currency: string;
}
