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
  /** In minor units. Null if the upstream named no amount: then the whole payment is disputed. */
  amount: nullable(bigint),
  currency: nullable(text),
  state: oneOf<DisputeState>(),
  status: oneOf<DisputeStatus>(),
  /** Whether accepting a mere request for information refunds the buyer (`inquiryRefunds`). */
  inquiry_refunds: bool,
  /** `deadline`: nobody answered in time, so Till closed it before the processor reported that. */
  concluded_by: nullable(oneOf<'deadline'>()),
  reason: nullable(oneOf<DisputeReason>()),
  network_reason_code: nullable(text),
  /** Account time; null if the upstream names no deadline. */
  respond_by: nullable(time),
  raised_at: nullable(time),
  arn: nullable(text),
  metadata: json<Readonly<Record<string, string>>>(),
  upstream_id: text,
  version: int,
  event_count: int,
  /** Account time at which the answer became due. */
  action_since: nullable(time),
  /** Number of reminders sent for the current deadline: 1 after the first, 2 after the second. */
  reminders: int,
  /** Number of definite answers from the processor. */
  operations_done: int,
  created_at: time,
} as const;

/** A dispute as stored, with the columns of its payment that it shows. */
export interface DisputeRow
  extends RowOf<typeof disputeColumns>,
    Pick<PaymentRow, 'method_type' | 'brand' | 'last4' | 'exp_month' | 'exp_year'> {
  /** Kind of the open operation; null if there is none. */
  readonly operation: 'accept' | 'defend' | 'conclude' | null;
  /** The merchant account at the processor that reported the dispute, or else that of its payment. */
  readonly processor_identity: string | null;
  readonly payment_amount: number;
  readonly payment_currency: string;
}

/** The disputed amount in minor units: the whole payment if the upstream named no amount. */
export const disputedAmount = (row: DisputeRow): { amount: number; currency: string } => ({
  amount: row.amount ?? row.payment_amount,
  currency: row.currency ?? row.payment_currency,
});

/** Converts a dispute row to the API object (spec, "Dispute"). */
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
