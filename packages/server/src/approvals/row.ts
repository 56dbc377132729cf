import type { Approval, PaymentLinkCreate, RefundCreate } from '@till/contract';
import { isoSeconds, unixSeconds } from '../lib/clock.ts';
import { bigint, int, json, keyColumns, nullable, oneOf, type RowOf, text, time } from '../store/columns.ts';

/** The part of the request body that is needed to run it after the approval. */
export interface WaitingRequest {
  readonly refund?: RefundCreate;
  readonly link?: PaymentLinkCreate;
}

export const approvalColumns = {
  ...keyColumns,
  status: oneOf<Approval['status']>(),
  action: oneOf<Approval['action']>(),
  /** Null for a payment link. */
  payment_id: nullable(text),
  /** In minor units. */
  amount: bigint,
  currency: text,
  request: json<WaitingRequest>(),
  /** Id of the API key or of the person. */
  requested_by: text,
  /** Null if an API key made the request. */
  requester_email: nullable(text),
  decided_by: nullable(text),
  reason: nullable(text),
  /** Id of the object that it creates or changes, set on approval. It makes retries idempotent. */
  result_id: nullable(text),
  failure_code: nullable(text),
  failure_message: nullable(text),
  /** Time of the next try (real time); until then the current try holds it. Null if it is done or will not be tried. */
  run_at: nullable(time),
  runs: int,
  /** Account time, like the two below. */
  created_at: time,
  expires_at: time,
  decided_at: nullable(time),
} as const;

/** An approval as stored: a request that waits or has waited for a decision. */
export type ApprovalRow = RowOf<typeof approvalColumns>;

/** Converts an approval row to the API object. @param mode of its tenant */
export function presentApproval(row: ApprovalRow, { livemode }: { readonly livemode: boolean }): Approval {
  const { failure_code: code, failure_message: message } = row;
  const isDone = row.status === 'approved' && row.run_at === null && code === null;
  return {
    id: row.id,
    object: 'approval',
    status: row.status,
    action: row.action,
    amount: row.amount,
    currency: row.currency,
    resource: row.payment_id,
    result: isDone ? row.result_id : null,
    failure: code === null ? null : { code, message: message ?? '' },
    requested_by: row.requested_by,
    requester_email: row.requester_email,
    decided_by: row.decided_by,
    reason: row.reason,
    expires_at: isoSeconds(row.expires_at),
    livemode,
    created: unixSeconds(row.created_at),
  };
}
