import type { Payout, PayoutLine } from '@till/contract';
import { unixSeconds } from '../lib/clock.ts';
import type { Tenant } from '../store/tenant.ts';
import type { LineRow, PayoutRow } from './row.ts';

/** Converts a payout row to the API object. */
export const presentPayout = (row: PayoutRow, { livemode }: Pick<Tenant, 'livemode'>): Payout => ({
  id: row.id,
  object: 'payout',
  provider: row.provider,
  currency: row.currency,
  gross: row.gross,
  fees: row.fees,
  net: row.gross - row.fees,
  arrival_date: row.arrival_date,
  lines_count: row.lines_count,
  unmatched_count: row.unmatched_count,
  livemode,
  created: unixSeconds(row.created_at),
});

/** Converts a payout line row to the API object. The currency is the payout's. */
export const presentLine = (row: LineRow, { currency }: Pick<PayoutRow, 'currency'>): PayoutLine => ({
  id: row.id,
  object: 'payout_line',
  payout: row.payout_id,
  type: row.type,
  payment: row.payment_id,
  refund: row.refund_id,
  dispute: row.dispute_id,
  gross: row.gross,
  fee: row.fee,
  net: row.gross - row.fee,
  currency,
  upstream_reference: row.upstream_reference,
});
