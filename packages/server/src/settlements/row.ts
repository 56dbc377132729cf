import type { PayoutLineType, Provider } from '@till/contract';
import {
  bigint,
  bool,
  bytes,
  int,
  keyColumns,
  nullable,
  oneOf,
  type RowOf,
  tenantColumns,
  text,
  texts,
  time,
} from '../store/columns.ts';

export const payoutColumns = {
  ...keyColumns,
  provider: oneOf<Provider>(),
  /** The processor's own names. */
  merchant_account: text,
  reference: text,
  currency: text,
  /** In minor units, like `fees`. */
  gross: bigint,
  fees: bigint,
  /** `YYYY-MM-DD`. */
  arrival_date: text,
  lines_count: int,
  unmatched_count: int,
  digest: text,
  corrections: int,
  match_tries: int,
  /** Real time. Null if every line matches and no refund is pending. */
  match_at: nullable(time),
  created_at: time,
} as const;
export type PayoutRow = RowOf<typeof payoutColumns>;

/** Why a line does not match the records. */
export const unmatchedReasons = [
  'unknown',
  'amount_differs',
  'not_succeeded',
  'paid_before',
  'reported_before',
] as const;
export type UnmatchedReason = (typeof unmatchedReasons)[number];

export const lineColumns = {
  ...keyColumns,
  payout_id: text,
  /** Within the payout, from 1. */
  number: int,
  type: oneOf<PayoutLineType>(),
  payment_id: nullable(text),
  refund_id: nullable(text),
  dispute_id: nullable(text),
  gross: bigint,
  fee: bigint,
  upstream_reference: text,
  unmatched: nullable(oneOf<UnmatchedReason>()),
  /** Whether the refund was still pending when the line was judged last. */
  awaits_refund: bool,
  at: time,
  /** The columns from here to `original_currency` are what the line is matched by. */
  upstream_payment: nullable(text),
  named_payment: nullable(text),
  named_refund: nullable(text),
  original_amount: nullable(bigint),
  original_currency: nullable(text),
  /** As `ReportLine.identity`. */
  identity: nullable(text),
} as const;
export type LineRow = RowOf<typeof lineColumns>;

export const reportColumns = {
  ...tenantColumns,
  sha256: bytes,
  name: text,
  /** Ids of the payouts in the report. */
  payouts: texts,
  imported_by: nullable(text),
  imported_at: time,
} as const;
export type ReportRow = RowOf<typeof reportColumns>;
