import { ApiError, approvalHours } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import type { NewEvent } from '../events/events.ts';
import type { Claim } from '../idempotency/claims.ts';
import { newId } from '../lib/ids.ts';
import { approvalMail } from '../mail/approval-mails.ts';
import { addressMails } from '../mail/queue-mail.ts';
import type { AuditEntryRow } from '../users/audit/audit.ts';
import type { ApprovalDependencies } from './dependencies.ts';
import { type ApprovalRow, presentApproval } from './row.ts';
import { findWaiting, insertApproval } from './store.ts';

/** A request that may have to wait. */
export interface Asked {
  readonly claim: Claim | null;
  readonly resumes: string | null;
}

export type Waits = { readonly status: 200 | 201 | 202; readonly text: string } | { readonly keyTaken: true };

/** Who asks. */
export interface Requester {
  /** Of the API key, or of the person. */
  readonly id: string;
  /** Address of the person; null: an API key asks. */
  readonly email: string | null;
  /** The amount above which what they ask for waits for a person, in minor units; null: nothing does. */
  readonly above: number | null;
  /** What the log says of their asking. */
  readonly entry?: ((row: ApprovalRow) => AuditEntryRow) | undefined;
}

/** The request's key. */
export const keyOf = ({ keyId, restriction }: AccountContext): Requester => ({
  id: keyId,
  email: null,
  above: restriction?.approval_above ?? null,
});

/** Requests of one key or person that may wait at once: each mails every owner and admin. */
const maxPerRequester = 100;

/** What waits, as far as the request says it. */
interface Wanted extends Pick<ApprovalRow, 'action' | 'amount' | 'currency' | 'request'> {
  readonly paymentId: string | null;
  /** What of the payment can be asked for in all, in minor units; null: it is about no payment. */
  readonly left: number | null;
}

/**
 * Why a request may not wait beside those that do: it asks for the same once more, or its requester has too many. Of two at the
 * same moment both may wait; what runs later is refused then.
 */
async function refusalOf(
  { db }: ApprovalDependencies,
  context: AccountContext,
  { action, paymentId, amount, left }: Wanted,
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
 * Commits the approval with its event and a mail for each owner and admin, under the request's idempotency key.
 * @throws ApiError `amount_invalid`, `limit_exceeded` where too much waits already
 */
export async function askFor(
  deps: ApprovalDependencies,
  context: AccountContext,
  wants: Wanted,
  claim: Claim | null,
  by: Requester,
): Promise<Waits> {
  const refusal = await refusalOf(deps, context, wants, by);
  if (refusal !== null) {
    // A concurrent request with the same key may be what waits: then its answer counts.
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
  const mails = await addressMails(deps.mail, context.accountId, approvalMail({ ...row, ...context }));
  const entry = by.entry?.(row) ?? null;
  if (!(await insertApproval(deps.db, row, { claim, event, mails, entry }))) return { keyTaken: true };
  deps.wake(context.accountId);
  return { status: 202, text };
}
