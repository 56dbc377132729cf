/** Processor-independent types for disputes. Amounts are in minor units. */
import type { NoAnswer, UpstreamIds } from './answers.ts';

export type DisputeState =
  | 'information_request'
  | 'chargeback'
  | 'pre_arbitration'
  | 'scheme_arbitration'
  | 'second_chargeback';

export type DisputeStatus =
  | 'new'
  | 'action_required'
  | 'challenged'
  | 'recovered'
  | 'accepted'
  | 'lost'
  | 'won';

export type DisputeReason =
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

/** What the upstream reports about a dispute. Null: it did not report the field, so the stored value stays. */
export interface DisputeFacts {
  readonly upstreamId: string;
  /** Our `pay_` id, if the upstream repeats it. */
  readonly paymentId: string | null;
  /** The upstream's ids of the payment, used if it does not repeat ours. */
  readonly payment: UpstreamIds;
  /** Always positive. */
  readonly amount: number | null;
  readonly currency: string | null;
  readonly state: DisputeState | null;
  readonly status: DisputeStatus | null;
  readonly reason: DisputeReason | null;
  /** The card scheme's own reason code, as reported. */
  readonly networkReasonCode: string | null;
  readonly respondBy: Date | null;
  readonly raisedAt: Date | null;
  readonly arn: string | null;
}

export interface AcceptDisputeRequest {
  readonly disputeId: string;
  readonly upstreamId: string;
  readonly upstreamKey: string;
  /** An earlier copy of the request got no answer and may have been carried out. */
  readonly isRepeat?: true;
}

export interface EvidenceFile {
  readonly name: string;
  readonly contentType: 'application/pdf' | 'image/jpeg' | 'image/png';
  readonly content: Uint8Array;
}

export interface DefendDisputeRequest extends AcceptDisputeRequest {
  readonly state: DisputeState;
  /** The merchant's choice among the upstream's defence reasons; null: use the first that fits. */
  readonly reasonCode: string | null;
  readonly statement: string | null;
  /** `type` has the values of the API contract (`decisions`, "Disputes"). */
  readonly evidence: readonly {
    readonly type: string;
    readonly text: string | null;
    readonly file: EvidenceFile | null;
  }[];
}

export type DisputeActionOutcome =
  | { readonly kind: 'done' }
  /**
   * The upstream refused the request, and nothing changed there. `message` is for people and carries no data. `param` names
   * the field for which another value would help; absent if none would.
   */
  | { readonly kind: 'refused'; readonly message: string; readonly param?: 'evidence' | 'reason_code' }
  | NoAnswer;
