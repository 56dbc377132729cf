import type { Refund, RefundReason, RefundStatus } from '@till/contract';
import { unixSeconds } from '../lib/clock.ts';

/** A refund as the database keeps it. Amounts in minor units. */
export interface RefundRow {
  readonly account_id: string;
  readonly livemode: boolean;
  readonly id: string;
  readonly payment_id: string;
  readonly amount: number;
  readonly currency: string;
  readonly status: RefundStatus;
  readonly reason: RefundReason | null;
  readonly note: string | null;
  readonly failure_code: string | null;
  readonly failure_message: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly upstream_id: string | null;
  readonly version: number;
  readonly event_count: number;
  /** Which merchant account at the processor was asked for it (`MadeAtProcessor`). */
  readonly processor_identity: string | null;
  readonly created_at: Date;
}

/** A refund as the API shows it (spec, "Refund"). */
export function presentRefund(row: RefundRow): Refund {
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
    livemode: row.livemode,
    created: unixSeconds(row.created_at),
  };
}
