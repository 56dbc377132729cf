import type {
  AvsVerdict,
  EventType,
  FailureCode,
  MethodType,
  NextAction,
  ThreeDSecure,
} from '@till/contract';
import type { RecurringModel } from '../processors/port/instruments.ts';
import type { AuthenticationDemand, UpstreamIds } from '../processors/port/port.ts';

/** A payment as the database keeps it. */
export interface PaymentRow {
  readonly account_id: string;
  readonly livemode: boolean;
  readonly id: string;
  readonly status: InternalStatus;
  readonly version: number;
  readonly event_count: number;
  readonly amount: number;
  readonly currency: string;
  readonly customer_id: string | null;
  readonly reference: string | null;
  readonly shopper_statement: string | null;
  readonly capture_method: 'automatic' | 'manual';
  readonly method_type: MethodType;
  readonly brand: string | null;
  readonly bin: string | null;
  readonly last4: string | null;
  readonly exp_month: number | null;
  readonly exp_year: number | null;
  readonly payment_method_id: string | null;
  readonly renews_payment: string | null;
  readonly failure_code: FailureCode | null;
  readonly authentication: AuthenticationDemand;
  readonly three_d_secure: ThreeDSecure | null;
  readonly avs: AvsVerdict | null;
  readonly upstream: UpstreamIds;
  readonly network_transaction_reference: string | null;
  readonly required_action: boolean;
  readonly next_action: NextAction['type'] | null;
  readonly redirect_url: string | null;
  /** End of the confirmation window, in account time. */
  readonly confirm_by: Date | null;
  /** What the buyer's browser brought back from the upstream, and when it first came. */
  readonly returned: Readonly<Record<string, string>> | null;
  readonly buyer_done_at: Date | null;
  readonly confirm_attempt: number;
  readonly authorization_guaranteed_until: Date | null;
  readonly authorization_expires: Date | null;
  /** The model under which the instrument is to be kept; null: it is not. */
  readonly save_model: RecurringModel | null;
  readonly merchant_initiated: boolean;
  readonly risk_session: string | null;
  /** By which merchant account at the processor it was made (`MadeAtProcessor`). */
  readonly processor_identity: string | null;
  readonly created_at: Date;
}

/** True where the 15 minutes for confirmation have passed. @param now account time */
export const isWindowOver = (row: PaymentRow, now: Date): boolean =>
  row.confirm_by !== null && now.getTime() >= row.confirm_by.getTime();

/** `processing` is internal: asked of the processor, no answer recorded yet. The API never shows it. */
export type InternalStatus =
  | 'processing'
  | 'requires_action'
  | 'authorized'
  | 'succeeded'
  | 'failed'
  | 'voided';

/** Which statuses follow which (spec, "States and transitions"). What is not listed never happens. */
const transitions: Readonly<Record<InternalStatus, readonly InternalStatus[]>> = {
  processing: ['requires_action', 'authorized', 'succeeded', 'failed'],
  requires_action: ['authorized', 'succeeded', 'failed'],
  authorized: ['succeeded', 'failed', 'voided'],
  succeeded: [],
  failed: [],
  voided: [],
};

/** The event that tells of a payment entering a status. */
export const eventOfStatus: Readonly<Record<Exclude<InternalStatus, 'processing'>, EventType>> = {
  requires_action: 'payment.requires_action',
  authorized: 'payment.authorized',
  succeeded: 'payment.succeeded',
  failed: 'payment.failed',
  voided: 'payment.voided',
};

/** @throws Error for a transition that the table does not have: a defect of ours, never the caller's fault */
export function requireTransition(from: InternalStatus, to: InternalStatus): void {
  if (!transitions[from].includes(to)) throw new Error(`a payment cannot go from ${from} to ${to}`);
}
