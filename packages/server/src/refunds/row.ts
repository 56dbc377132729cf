import type { Refund, RefundReason, RefundStatus } from '@till/contract';
import { unixSeconds } from '../lib/clock.ts';
import { bigint, int, json, keyColumns, nullable, oneOf, type RowOf, text, time } from '../store/columns.ts';
import type { Tenant } from '../store/tenant.ts';

/** Amounts in minor units. */
export const refundColumns = {
  ...keyColumns,
  payment_id: text,
  amount: bigint,
  currency: text,
  status: oneOf<RefundStatus>(),
  reason: nullable(oneOf<RefundReason>()),
  note: nullable(text),
  failure_code: nullable(text),
  failure_message: nullable(text),
  metadata: json<Readonly<Record<string, string>>>(),
  upstream_id: nullable(text),
  version: int,
  event_count: int,
  /** The merchant account at the processor that it was requested from (`HasProcessorIdentity`). */
  processor_identity: nullable(text),
  created_at: time,
} as const;

/** A refund as stored. */
export type RefundRow = RowOf<typeof refundColumns>;

/** Converts a refund row to the API object (spec, "Refund"). */
export function presentRefund(row: RefundRow, { livemode }: Pick<Tenant, 'livemode'>): Refund {
  return {
    id: row.id,
    object: 'refund',
    payment: row.payment_id,
    amount: row.amount,
    currency: row.currency,
    status: row.status,
    reason: row.reason,
    note: row.note,
    failure:
      row.failure_code === null ? null : { code: row.failure_code, message: row.failure_message ?? '' },
    metadata: { ...row.metadata },
    livemode,
    created: unixSeconds(row.created_at),
  };
}
