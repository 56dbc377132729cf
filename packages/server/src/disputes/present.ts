import type { Dispute } from '@till/contract';
import { isoSeconds, unixSeconds } from '../lib/clock.ts';
import type { PaymentRow } from '../payments/payment.ts';
import { presentMethod } from '../payments/present.ts';
import type { DisputeReason, DisputeState, DisputeStatus } from '../processors/port/disputes.ts';

/** A dispute as the database keeps it, with what it shows of its payment. */
export interface DisputeRow
  extends Pick<PaymentRow, 'method_type' | 'brand' | 'last4' | 'exp_month' | 'exp_year'> {
  readonly account_id: string;
  readonly livemode: boolean;
  readonly id: string;
  readonly payment_id: string;
  readonly customer_id: string | null;
  /** Null where the upstream named none: then the whole payment is meant. */
  readonly amount: number | null;
  readonly currency: string | null;
  readonly state: DisputeState;
  readonly status: DisputeStatus;
  /** `deadline`: nobody answered in time, so we concluded it, and the processor has not said so. */
  readonly concluded_by: 'deadline' | null;
  readonly reason: DisputeReason | null;
  readonly network_reason_code: string | null;
  /** In account time; null where the upstream names no deadline. */
  readonly respond_by: Date | null;
  readonly raised_at: Date | null;
  readonly arn: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly upstream_id: string;
  readonly version: number;
  readonly event_count: number;
  /** Account time since when an answer has been due. */
  readonly action_since: Date | null;
  /** Reminders of the present deadline that were written: 1 after the first, 2 after the second. */
  readonly reminders: number;
  /** What is being asked of the processor; null: nothing. */
  readonly operation: 'accept' | 'defend' | 'conclude' | null;
  /** Counts definite answers of the processor. */
  readonly operations_done: number;
  /** Which merchant account at the processor has it: that which told of it, else that of its payment. */
  readonly processor_identity: string | null;
  readonly created_at: Date;
  readonly payment_amount: number;
  readonly payment_currency: string;
}

/** What is disputed, in minor units: the whole payment where the upstream named no part of it. */
export const disputedAmount = (row: DisputeRow): { amount: number; currency: string } => ({
  amount: row.amount ?? row.payment_amount,
  currency: row.currency ?? row.payment_currency,
});

/** A dispute as the API shows it (spec, "Dispute"). */
export function presentDispute(row: DisputeRow): Dispute {
  return {
    id: row.id,
    object: 'dispute',
    payment: row.payment_id,
    customer: row.customer_id,
    ...disputedAmount(row),
    state: row.state,
    status: row.status,
    reason: row.reason ?? 'general',
    respond_by: row.respond_by && isoSeconds(row.respond_by),
    raised_at: isoSeconds(row.raised_at ?? row.created_at),
    payment_method: presentMethod(row),
    arn: row.arn,
    metadata: { ...row.metadata },
    livemode: row.livemode,
    created: unixSeconds(row.created_at),
  };
}
