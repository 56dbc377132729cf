import type { AccountContext } from '../../accounts/context.ts';
import { approvalThreshold } from '../../accounts/role-approvals.ts';
import type { Requester } from '../../approvals/request-approval.ts';
import type { ApprovalRow } from '../../approvals/row.ts';
import type { Queryable } from '../../store/database.ts';
import type { DashboardAnswer, StaffCall } from '../call.ts';

/** The part of a call that identifies the requester. */
// biome-ignore lint/suspicious/noExplicitAny: of any operation that may have to wait
type Asking = Pick<StaffCall<any>, 'staff' | 'context' | 'entry' | 'covered'>; // oxlint-disable-line typescript/no-explicit-any

/** The part of a request for approval that the audit log records. */
export const logged = ({ action, payment_id, amount, currency, request }: ApprovalRow) => ({
  action,
  ...(payment_id === null ? { title: request.link?.title } : { payment: payment_id }),
  amount,
  currency,
});

/**
 * Does what was requested in the dashboard, unless the person's role has to wait for approval.
 * @param waits resolves to the answer if the request has to wait, else to null
 * @param work gets the context to work in; the amount is checked again when the operation begins
 */
export async function runUnlessApprovalNeeded<A extends DashboardAnswer>(
  db: Queryable,
  { staff, context, entry, covered }: Asking,
  waits: (by: Requester) => Promise<A | null>,
  work: (context: AccountContext) => Promise<DashboardAnswer>,
): Promise<DashboardAnswer> {
  const above = await approvalThreshold(db, staff.accountId, staff.role);
  const answer = await waits({
    id: staff.userId,
    email: staff.email,
    above,
    entry: (row) => entry({ action: 'approval.requested', objectId: row.id, after: logged(row) }),
  });
  if (answer === null) return work({ ...context, roleWaitsAbove: above });
  // The first request wrote the audit entry. A repeat only reads.
  covered();
  return answer;
}
