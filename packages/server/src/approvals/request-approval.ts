import { ApiError, approvalHours } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import type { NewEvent } from '../events/events.ts';
import type { Claim } from '../idempotency/claims.ts';
import { newId } from '../lib/ids.ts';
import { approvalMail } from '../mail/approval-mails.ts';
import { buildMails } from '../mail/queue-mail.ts';
import type { AuditEntryRow } from '../users/audit/audit.ts';
import type { ApprovalDependencies } from './dependencies.ts';
import { type ApprovalRow, presentApproval } from './row.ts';
import { findWaiting, insertApproval } from './store.ts';

/** The idempotency data of a request that may have to wait for an approval. */
export interface Asked {
  readonly claim: Claim | null;
  readonly resumes: string | null;
}

export type Waits = { readonly status: 200 | 201 | 202; readonly text: string } | { readonly keyTaken: true };

/** The API key or person that makes a request. */
export interface Requester {
  /** Id of the API key or of the person. */
  readonly id: string;
  /** E-mail address of the person; null for an API key. */
  readonly email: string | null;
  /** Requests above this amount, in minor units, wait for an approval; null if none do. */
  readonly above: number | null;
  /** Builds the audit log entry of the request. */
  readonly entry?: ((row: ApprovalRow) => AuditEntryRow) | undefined;
}

/** The API key of a request as the requester. */
export const keyOf = ({ keyId, restriction }: AccountContext): Requester => ({
  id: keyId,
  email: null,
  above: restriction?.approval_above ?? null,
});

/** How many requests of one key or person may wait at the same time. Each of them mails every owner and admin. */
const maxPerRequester = 100;

/** The part of an approval that the request determines. */
interface ApprovalRequest extends Pick<ApprovalRow, 'action' | 'amount' | 'currency' | 'request'> {
  readonly paymentId: string | null;
  /** Maximum total of the waiting requests about the payment, in minor units; null for a request about no payment. */
  readonly left: number | null;
}

/**
 * Returns why a request may not wait in addition to those that already do: together they exceed the payment, or the requester has
 * too many. Two concurrent requests may both pass this check; the one that runs second is then refused.
 */
async function refusalOf(
  { db }: ApprovalDependencies,
  context: AccountContext,
  { action, paymentId, amount, left }: ApprovalRequest,
  by: Requester,
): Promise<ApiError | null> {
  const query = { requester: by.id, action, paymentId, now: context.now };
  const { ofRequester, ofPayment } = await findWaiting(db, context, query);
  if (left !== null && ofPayment + amount > left) {
    const already = 'waits for an approval already: decide on that first.';
    return action === 'refund'
      ? new ApiError('amount_invalid', `A refund of ${ofPayment} of the ${left} that are left ${already}`, {
          param: 'amount',
        })
      : new ApiError('limit_exceeded', `A capture of this payment ${already}`);
  }
  return ofRequester < maxPerRequester
    ? null
    : new ApiError(
        'limit_exceeded',
        `${ofRequester} requests of this key or person wait for an approval: decide on them first.`,
      );
}

/**
 * Commits an approval with its event and a mail for each owner and admin, under the request's idempotency key.
 * @throws ApiError `amount_invalid` or `limit_exceeded` if too much waits already
 */
export async function requestApproval(
  deps: ApprovalDependencies,
  context: AccountContext,
  wants: ApprovalRequest,
  claim: Claim | null,
  by: Requester,
): Promise<Waits> {
  const refusal = await refusalOf(deps, context, wants, by);
  if (refusal !== null) {
    // The approval that waits may be that of a concurrent request with the same key. Then its response is replayed.
    if (claim !== null && (await deps.isKeyTaken(context, claim))) return { keyTaken: true };
    throw refusal;
  }
  const { paymentId, left: _left, ...wanted } = wants;
  const row: ApprovalRow = {
    tenant: context.tenant,
    id: newId('apr', deps.clock.now(), deps.randomBytes),
    status: 'pending',
    ...wanted,
    payment_id: paymentId,
    requested_by: by.id,
    requester_email: by.email,
    decided_by: null,
    reason: null,
    result_id: null,
    failure_code: null,
    failure_message: null,
    run_at: null,
    runs: 0,
    created_at: context.now,
    expires_at: new Date(context.now.getTime() + approvalHours * 3_600_000),
    decided_at: null,
  };
  const text = deps.write(presentApproval(row, context));
  const event: NewEvent = {
    id: newId('evt', deps.clock.now(), deps.randomBytes),
    type: 'approval.created',
    sequence: 1,
    created: context.now,
    object: text,
  };
  const mails = await buildMails(deps.mail, context.accountId, approvalMail({ ...row, ...context }));
  const entry = by.entry?.(row) ?? null;
  if (!(await insertApproval(deps.db, row, { claim, event, mails, entry }))) return { keyTaken: true };
  deps.wake(context.accountId);
  return { status: 202, text };
}
