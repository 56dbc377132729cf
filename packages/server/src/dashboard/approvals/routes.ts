import { ApiError, type PaymentLinkCreate } from '@till/contract';
import { type ApprovalItem, DashboardError, dashboardApi } from '@till/contract/dashboard';
import type { AccountContext } from '../../accounts/context.ts';
import { type Decision, decide, requireApproval } from '../../approvals/decide.ts';
import type { ApprovalDependencies } from '../../approvals/dependencies.ts';
import { listApprovals } from '../../approvals/reads.ts';
import { type ApprovalRow, presentApproval } from '../../approvals/row.ts';
import { runTaken } from '../../approvals/run.ts';
import { listOfPage } from '../../lib/list.ts';
import { formatAmount } from '../../lib/money.ts';
import { requirePayment } from '../../payments/reads.ts';
import type { DashboardApi, StaffCall } from '../api.ts';
import { pageOf } from '../developers/pages.ts';
import { isOwn, obstacleTo, readDeciders } from './deciders.ts';
import { logged } from './requester.ts';

/** What buyers could do with a link, in words. */
function termsOf({ amount_range: range, max_payments: max, currency }: PaymentLinkCreate): string {
  const bounds = range && [range.min, range.max].map((amount) => formatAmount(amount, currency)).join(' to ');
  const times = max === undefined ? 'any number of times' : max === 1 ? 'once' : `up to ${max} times`;
  return `payable ${bounds === undefined ? '' : `from ${bounds} ${currency}, `}${times}`;
}

/** The reason that the request itself gives; null if it gives none. */
function whyOf({ request: { refund, link } }: ApprovalRow): string | null {
  const said = [
    refund?.reason?.replaceAll('_', ' '),
    refund?.note,
    link?.description,
    link && termsOf(link),
  ].filter(Boolean);
  const text = said.join(': ');
  return text === '' ? null : text.charAt(0).toUpperCase() + text.slice(1);
}

/** What the request is about, in the merchant's words: the link's title or the payment's reference. */
const titleOf = async (
  { refunds }: ApprovalDependencies,
  context: AccountContext,
  { payment_id: payment, request }: ApprovalRow,
): Promise<string | null> =>
  payment === null
    ? (request.link?.title ?? null)
    : (await requirePayment(refunds.payments.store, context, payment)).reference;

/** The decision with its author and reason. */
const decisionOf = (
  status: 'approved' | 'refused',
  { staff, body }: StaffCall<typeof dashboardApi.approveRequest | typeof dashboardApi.refuseRequest>,
): Decision => ({ status, by: staff.email, member: staff, reason: body.reason?.trim() || null });

/**
 * The operations that list requests for approval and decide on them. Each decision is committed with its event and its
 * audit entry.
 */
export function approvalDashboardRoutes(api: DashboardApi, deps: ApprovalDependencies): void {
  api.mount(dashboardApi.listApprovals, async ({ context, query, staff }) => {
    const place = pageOf(query);
    const { rows, total } = await listApprovals(deps.db, context, query.status, place);
    const deciders = await readDeciders(deps.db, context.accountId);
    const item = async (row: ApprovalRow): Promise<ApprovalItem> => ({
      approval: presentApproval(row, context),
      requester: row.requester_email ?? deciders.keys.get(row.requested_by)?.name ?? null,
      why: whyOf(row),
      reference: await titleOf(deps, context, row),
      own: isOwn(deciders, row, staff),
      obstacle: obstacleTo(deciders, row, staff),
    });
    return { status: 200, body: listOfPage(await Promise.all(rows.map(item)), total, place) };
  });
  api.mount(dashboardApi.approveRequest, async (call) => {
    const row = await commitDecision(deps, call, { ...decisionOf('approved', call), runsImmediately: true });
    // The sweep resumes whatever could not be finished here.
    await runTaken(deps, call.context, row).catch((error: unknown) =>
      deps.onIncident(call.context, 'what was approved could not be done', row, error),
    );
    return answer(deps, call.context, row.id);
  });
  api.mount(dashboardApi.refuseRequest, async (call) => {
    const row = await commitDecision(deps, call, decisionOf('refused', call));
    return answer(deps, call.context, row.id);
  });
}

/**
 * @throws ApiError `not_found`; DashboardError `forbidden`, `conflict` if the request is already decided or the role has
 *   changed
 */
async function commitDecision(
  deps: ApprovalDependencies,
  call: StaffCall<typeof dashboardApi.approveRequest | typeof dashboardApi.refuseRequest>,
  decision: Decision,
): Promise<ApprovalRow> {
  const { context, params, staff, entry } = call;
  const { id = '' } = params;
  const asked = await requireApproval(deps.db, context, id);
  const deciders = await readDeciders(deps.db, staff.accountId);
  const obstacle = decision.status === 'approved' ? obstacleTo(deciders, asked, staff) : null;
  if (obstacle !== null) throw new DashboardError('forbidden', obstacle);
  const entryOf = (decided: ApprovalRow) => {
    const own = isOwn(deciders, decided, staff);
    const after = { ...logged(decided), requested_by: decided.requested_by, own, reason: decision.reason };
    return entry({ objectId: decided.id, after });
  };
  const logging = { ...decision, entry: entryOf };
  const row = await decide(deps, deps.db, context, id, logging).catch((error: unknown) => {
    const isLate = error instanceof ApiError && error.code === 'invalid_params';
    throw isLate ? new DashboardError('conflict', error.message) : error;
  });
  deps.wake(context.accountId);
  return row;
}

async function answer(deps: ApprovalDependencies, context: AccountContext, id: string) {
  const row = await requireApproval(deps.db, context, id);
  return { status: 200, text: deps.write(presentApproval(row, context)) };
}
