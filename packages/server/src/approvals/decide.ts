import { ApiError } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import type { NewEvent } from '../events/events.ts';
import { newId } from '../lib/ids.ts';
import type { Queryable } from '../store/database.ts';
import type { AuditEntryRow } from '../users/audit/audit.ts';
import type { ApprovalDependencies } from './dependencies.ts';
import { type ApprovalRow, presentApproval } from './row.ts';
import { type DecidingMember, decideApproval, findApproval } from './store.ts';

/** A decision about an approval. */
export interface Decision {
  readonly status: 'approved' | 'refused' | 'expired';
  /** E-mail address of the person, or `operator`; null if nobody decided in time. */
  readonly by: string | null;
  readonly reason: string | null;
  /** The member who decides in the dashboard. The decision is valid only while they have this role. */
  readonly member?: DecidingMember;
  /** Whether the caller runs the approved request right away (`runTaken`). The sweep then skips it for a minute. */
  readonly runsImmediately?: boolean;
  /** Builds the audit log entry. @param decided the approval after the decision */
  readonly entry?: (decided: ApprovalRow) => AuditEntryRow;
}

const runMs = 60_000;

/** @throws ApiError `not_found`, also if the approval belongs to another merchant or to the other mode */
export async function requireApproval(
  db: Queryable,
  context: Pick<AccountContext, 'tenant'>,
  id: string,
): Promise<ApprovalRow> {
  const row = await findApproval(db, context, id);
  if (row === undefined) throw new ApiError('not_found', 'There is no approval with this id.');
  return row;
}

/**
 * Decides on an approval, once. An approved request is due to run from then on.
 * @returns the decided approval
 * @throws ApiError `not_found`; `invalid_params` if it is decided already or expired, or the member's role has changed
 */
export async function decide(
  deps: Pick<ApprovalDependencies, 'clock' | 'randomBytes' | 'write'>,
  db: Queryable,
  context: AccountContext,
  id: string,
  { status, by, reason, member, runsImmediately = false, entry }: Decision,
): Promise<ApprovalRow> {
  const before = await requireApproval(db, context, id);
  const isOver = context.now >= before.expires_at;
  if (before.status !== 'pending' || (isOver && status !== 'expired')) throw decidedAlready(before, isOver);
  const isApproved = status === 'approved';
  const after: ApprovalRow = {
    ...before,
    status,
    decided_by: by,
    reason,
    decided_at: context.now,
    result_id: isApproved ? resultOf(deps, before) : null,
    run_at: isApproved ? new Date(deps.clock.now().getTime() + (runsImmediately ? runMs : 0)) : null,
    runs: isApproved && runsImmediately ? 1 : 0,
  };
  const event: NewEvent = {
    id: newId('evt', deps.clock.now(), deps.randomBytes),
    type: 'approval.decided',
    sequence: 2,
    created: context.now,
    object: deps.write(presentApproval(after, context)),
  };
  const more = { event, entry: entry?.(after) ?? null, member: member ?? null };
  if (await decideApproval(db, context, after, more)) return after;
  throw decidedAlready(await requireApproval(db, context, id), isOver);
}

/**
 * Id of the object that the request will create or change. Refunds and links get their id here, so that retries create only one.
 */
const resultOf = (
  { clock, randomBytes }: Pick<ApprovalDependencies, 'clock' | 'randomBytes'>,
  { action, payment_id: paymentId }: ApprovalRow,
): string | null =>
  action === 'capture' ? paymentId : newId(action === 'refund' ? 're' : 'pl', clock.now(), randomBytes);

const decidedAlready = ({ status }: ApprovalRow, isOver: boolean) =>
  new ApiError(
    'invalid_params',
    status !== 'pending'
      ? `This is ${status} already.`
      : isOver
        ? 'Nobody decided on this in time: it is closed.'
        : 'Your role in this account has just changed.',
    { param: 'status' },
  );
