import type {
  AvsVerdict,
  EventType,
  FailureCode,
  MethodType,
  NextAction,
  ThreeDSecure,
} from '@till/contract';
import type { RecurringModel } from '../processors/port/instruments.ts';
import type { AuthenticationDemand, ReturnParameters, UpstreamIds } from '../processors/port/port.ts';
import {
  bigint,
  bool,
  int,
  json,
  keyColumns,
  nullable,
  oneOf,
  only,
  type RowOf,
  text,
  time,
} from '../store/columns.ts';

/** Columns that are known when the payment begins. No answer changes them. */
const requestColumns = {
  amount: bigint,
  currency: text,
  customer_id: nullable(text),
  reference: nullable(text),
  shopper_statement: nullable(text),
  capture_method: oneOf<'automatic' | 'manual'>(),
  method_type: oneOf<MethodType>(),
  renews_payment: nullable(text),
  /** The payment link with which the buyer pays. */
  payment_link_id: nullable(text),
  authentication: oneOf<AuthenticationDemand>(),
  /** The model under which the instrument is saved; null: it is not saved. */
  save_model: nullable(oneOf<RecurringModel>()),
  merchant_initiated: bool,
  risk_session: nullable(text),
  /** The merchant account at the processor with which it was made (`HasProcessorIdentity`). */
  processor_identity: nullable(text),
  created_at: time,
} as const;

/** Columns that are known at the beginning as far as the request says. The answer may add to them. */
const instrumentColumns = {
  status: oneOf<InternalStatus>(),
  brand: nullable(text),
  bin: nullable(text),
  last4: nullable(text),
  exp_month: nullable(int),
  exp_year: nullable(int),
} as const;

const payment_method_id = nullable(text);

/** Columns that are written when a payment begins. */
export const begunColumns = {
  ...keyColumns,
  ...requestColumns,
  ...instrumentColumns,
  payment_method_id,
} as const;

/** Columns that an answer may change. */
export const answeredColumns = {
  ...instrumentColumns,
  failure_code: nullable(oneOf<FailureCode>()),
  three_d_secure: nullable(json<ThreeDSecure>()),
  avs: nullable(json<AvsVerdict>()),
  upstream: json<UpstreamIds>(),
  network_transaction_reference: nullable(text),
  required_action: bool,
  next_action: nullable(oneOf<NextAction['type']>()),
  redirect_url: nullable(text),
  /** End of the confirmation window, in account time. */
  confirm_by: nullable(time),
  confirm_attempt: int,
  authorization_guaranteed_until: nullable(time),
  authorization_expires: nullable(time),
} as const;

export const paymentColumns = {
  ...begunColumns,
  ...answeredColumns,
  version: int,
  event_count: int,
  /** The parameters with which the buyer's browser came back from the upstream, newest first, and when it first came back. */
  returned: nullable(json<readonly ReturnParameters[]>()),
  buyer_done_at: nullable(time),
} as const;

/** A payment as the database keeps it. */
export type PaymentRow = RowOf<typeof paymentColumns>;

/** The columns that the API shows. Lists leave out the others, which make up two fifths of a row. */
export const shownColumns = only(
  paymentColumns,
  'id',
  'amount',
  'currency',
  'status',
  'reference',
  'shopper_statement',
  'customer_id',
  'method_type',
  'brand',
  'last4',
  'exp_month',
  'exp_year',
  'payment_method_id',
  'renews_payment',
  'capture_method',
  'failure_code',
  'authorization_guaranteed_until',
  'authorization_expires',
  'next_action',
  'redirect_url',
  'confirm_by',
  'three_d_secure',
  'avs',
  'payment_link_id',
  'created_at',
);
export type ShownPayment = RowOf<typeof shownColumns>;

/** True if the 15 minutes for confirmation have passed. @param now account time */
export const isWindowOver = (row: Pick<PaymentRow, 'confirm_by'>, now: Date): boolean =>
  row.confirm_by !== null && now.getTime() >= row.confirm_by.getTime();

/** `processing` is internal, and the API never shows it: the payment has begun, and no answer is recorded yet. */
export type InternalStatus =
  | 'processing'
  | 'requires_action'
  | 'authorized'
  | 'succeeded'
  | 'failed'
  | 'voided';

/** The allowed changes of status (spec, "States and transitions"). */
const transitions: Readonly<Record<InternalStatus, readonly InternalStatus[]>> = {
  processing: ['requires_action', 'authorized', 'succeeded', 'failed'],
  requires_action: ['authorized', 'succeeded', 'failed'],
  authorized: ['succeeded', 'failed', 'voided'],
  succeeded: [],
  failed: [],
  voided: [],
};

/** The event that a payment causes when it enters a status. */
export const eventOfStatus: Readonly<Record<Exclude<InternalStatus, 'processing'>, EventType>> = {
  requires_action: 'payment.requires_action',
  authorized: 'payment.authorized',
  succeeded: 'payment.succeeded',
  failed: 'payment.failed',
  voided: 'payment.voided',
};

/** @throws Error for a transition that is not in the table: a defect of Till, never the caller's fault */
export function requireTransition(from: InternalStatus, to: InternalStatus): void {
  if (!transitions[from].includes(to)) throw new Error(`a payment cannot go from ${from} to ${to}`);
}
