import type { Dispute } from '@till/contract';
import { isoSeconds, unixSeconds } from '../lib/clock.ts';
import type { PaymentRow } from '../payments/payment.ts';
import { presentMethod } from '../payments/present.ts';
import type { DisputeReason, DisputeState, DisputeStatus } from '../processors/port/disputes.ts';
import {
  bigint,
  bool,
  int,
  json,
  keyColumns,
  nullable,
  oneOf,
  type RowOf,
  text,
  time,
} from '../store/columns.ts';
import type { Tenant } from '../store/tenant.ts';

export const disputeColumns = {
  ...keyColumns,
  payment_id: text,
  customer_id: nullable(text),
  /** In minor units. Null where the upstream named none: then the whole payment is meant. */
  amount: nullable(bigint),
  currency: nullable(text),
  state: oneOf<DisputeState>(),
  status: oneOf<DisputeStatus>(),
  /** Giving in to it gives the money back even where it only asks for information (`inquiryRefunds`). */
  inquiry_refunds: bool,
  /** `deadline`: nobody answered in time, so we concluded it, and the processor has not said so. */
  concluded_by: nullable(oneOf<'deadline'>()),
  reason: nullable(oneOf<DisputeReason>()),
  network_reason_code: nullable(text),
  /** In account time; null where the upstream names no deadline. */
  respond_by: nullable(time),
  raised_at: nullable(time),
  arn: nullable(text),
  metadata: json<Readonly<Record<string, string>>>(),
  upstream_id: text,
  version: int,
  event_count: int,
  /** Account time since when an answer has been due. */
  action_since: nullable(time),
  /** Reminders of the present deadline that were written: 1 after the first, 2 after the second. */
  reminders: int,
  /** Counts definite answers of the processor. */
  operations_done: int,
  created_at: time,
} as const;

/** A dispute as the database keeps it, with what it shows of its payment. */
export interface DisputeRow
  extends RowOf<typeof disputeColumns>,
    Pick<PaymentRow, 'method_type' | 'brand' | 'last4' | 'exp_month' | 'exp_year'> {
  /** What is being asked of the processor; null: nothing. */
  readonly operation: 'accept' | 'defend' | 'conclude' | null;
  /** Which merchant account at the processor has it: that which named it, else that of its payment. */
  readonly processor_identity: string | null;
  readonly payment_amount: number;
  readonly payment_currency: string;
}

/** What is disputed, in minor units: the whole payment where the upstream named no part of it. */
export const disputedAmount = (row: DisputeRow): { amount: number; currency: string } => ({
  amount: row.amount ?? row.payment_amount,
  currency: row.currency ?? row.payment_currency,
});

/** A dispute as the API shows it (spec, "Dispute"). */
export function presentDispute(row: DisputeRow, { livemode }: Pick<Tenant, 'livemode'>): Dispute {
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
    livemode,
    created: unixSeconds(row.created_at),
  };
}
