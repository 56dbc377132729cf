import type {
  AvsVerdict,
  EventType,
  FailureCode,
  MethodType,
  NextAction,
  ThreeDSecure,
} from '@till/contract';
import type { RecurringModel } from '../processors/port/instruments.ts';
import type { AuthenticationDemand, Brought, UpstreamIds } from '../processors/port/port.ts';
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

/** Known when the payment begins; no answer changes it. */
const asked = {
  amount: bigint,
  currency: text,
  customer_id: nullable(text),
  reference: nullable(text),
  shopper_statement: nullable(text),
  capture_method: oneOf<'automatic' | 'manual'>(),
  method_type: oneOf<MethodType>(),
  renews_payment: nullable(text),
  /** The link with which the buyer paid. */
  payment_link_id: nullable(text),
  authentication: oneOf<AuthenticationDemand>(),
  /** The model under which the instrument is to be kept; null: it is not. */
  save_model: nullable(oneOf<RecurringModel>()),
  merchant_initiated: bool,
  risk_session: nullable(text),
  /** By which merchant account at the processor it was made (`MadeAtProcessor`). */
  processor_identity: nullable(text),
  created_at: time,
} as const;

/** Known when it begins as far as the request says it; an answer may say more. */
const instrument = {
  status: oneOf<InternalStatus>(),
  brand: nullable(text),
  bin: nullable(text),
  last4: nullable(text),
  exp_month: nullable(int),
  exp_year: nullable(int),
} as const;

const payment_method_id = nullable(text);

/** What is written when a payment begins. */
export const begunColumns = { ...keyColumns, ...asked, ...instrument, payment_method_id } as const;

/** What an answer may change. */
export const answeredColumns = {
  ...instrument,
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
  /** What the buyer's browser brought back from the upstream, the newest first, and when it first came. */
  returned: nullable(json<readonly Brought[]>()),
  buyer_done_at: nullable(time),
} as const;

/** A payment as the database keeps it. */
export type PaymentRow = RowOf<typeof paymentColumns>;

/** What is shown of a payment: a list does without the other columns, two fifths of a row. */
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

/** True where the 15 minutes for confirmation have passed. @param now account time */
export const isWindowOver = (row: Pick<PaymentRow, 'confirm_by'>, now: Date): boolean =>
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

/** The event of a payment entering a status. */
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
