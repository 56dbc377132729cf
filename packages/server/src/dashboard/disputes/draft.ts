import { invalidParam } from '@till/contract';
import {
  type Colleague,
  type DisputeDraft,
  type DraftSummary,
  type dashboardApi,
  mayCall,
  rolesFor,
} from '@till/contract/dashboard';
import type { AccountContext } from '../../accounts/context.ts';
import { mailFor } from '../../disputes/change-dispute.ts';
import { retrieveDispute } from '../../disputes/deadlines/retrieve-dispute.ts';
import { assign, type DraftContent, type DraftRow, draftsOf, saveDraft } from '../../disputes/drafts.ts';
import { presentFile, usableSince } from '../../files/files.ts';
import { isoSeconds } from '../../lib/clock.ts';
import { disputeAssigned } from '../../mail/dispute-mails.ts';
import { queueMailTo } from '../../mail/queue-mail.ts';
import type { Queryable } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';
import { listMembers } from '../../users/people/members.ts';
import type { DashboardAnswer, StaffCall } from '../call.ts';
import type { InboxDependencies } from './dependencies.ts';

type FileRow = Parameters<typeof presentFile>[0];

const answering = { roles: rolesFor.money, sandboxRoles: ['developer'] } as const;

/** The members who may answer disputes, owners first. */
export async function colleaguesOf(db: Queryable, { accountId, livemode }: Tenant): Promise<Colleague[]> {
  const members = await listMembers(db, accountId);
  return members
    .filter(({ role }) => mayCall(answering, role, livemode))
    .map(({ user_id: id, email }) => ({ id, email }));
}

/** A draft as the page shows it; null if nothing has been written yet. A file that no longer exists is left out. */
export function presentDraft(
  { version, content, edited_by: by, edited_at: at }: DraftRow,
  tenant: Tenant,
  files: readonly FileRow[],
): DisputeDraft | null {
  if (content === null || by === null || at === null) return null;
  return {
    version,
    statement: content.statement,
    reason_code: content.reason_code,
    evidence: content.evidence.map(({ type, text, files: ids }) => ({
      type,
      text,
      files: files.filter(({ id }) => ids.includes(id)).map((file) => presentFile(file, tenant)),
    })),
    edited_by: by,
    edited_at: isoSeconds(at),
  };
}

export const summaryOf = (row: DraftRow | undefined): DraftSummary | null =>
  row === undefined || row.edited_by === null || row.edited_at === null
    ? null
    : { files: row.files.length, edited_by: row.edited_by, edited_at: isoSeconds(row.edited_at) };

/** The draft and the assignee, as the page of a dispute shows them. */
export async function teamworkOf(
  { disputes, files }: InboxDependencies,
  context: AccountContext,
  disputeId: string,
): Promise<{
  readonly draft: DisputeDraft | null;
  readonly assignee: Colleague | null;
  readonly colleagues: Colleague[];
}> {
  const [rows, colleagues] = await Promise.all([
    draftsOf(disputes.db, context, [disputeId]),
    colleaguesOf(disputes.db, context),
  ]);
  const [row] = rows;
  if (row === undefined) return { draft: null, assignee: null, colleagues };
  const known = row.files.length === 0 ? [] : await files.store.find(context, row.files);
  return {
    draft: presentDraft(row, context, known),
    assignee: colleagues.find(({ id }) => id === row.assignee) ?? null,
    colleagues,
  };
}

/** @throws ApiError `invalid_params` if a file is not the merchant's or is too old to be used */
async function requireFiles(
  { disputes: { files, clock } }: InboxDependencies,
  context: AccountContext,
  { evidence }: DraftContent,
): Promise<FileRow[]> {
  const ids = [...new Set(evidence.flatMap((item) => item.files))];
  const known = await files.findUsable(context, ids, usableSince(clock.now()));
  if (known.length === ids.length) return known;
  throw invalidParam('evidence', 'evidence names a file that was not found: upload it again.');
}

/** Saves the draft of an answer. @throws as `requireFiles` and `saveDraft` */
export async function saveFromDashboard(
  deps: InboxDependencies,
  call: StaffCall<(typeof dashboardApi)['saveDisputeDraft']>,
): Promise<DashboardAnswer> {
  const { disputes } = deps;
  const { context, staff, params } = call;
  const { version, ...content } = call.body;
  const files = await requireFiles(deps, context, content);
  const { row, isNewEntry } = await disputes.db.transaction(async (tx) => {
    const change = { version, content, by: staff.email };
    const saved = await saveDraft(tx, context, params.id ?? '', change);
    if (saved.isNewEntry) await call.audit({ after: { files: saved.row.files.length } }, tx);
    return saved;
  });
  if (!isNewEntry) call.covered();
  const draft = presentDraft(row, context, files);
  if (draft === null) throw new Error(`the draft of ${row.dispute_id} is empty`);
  return { status: 200, body: draft };
}

/**
 * Assigns a dispute to a colleague, who gets a mail.
 * @throws ApiError `invalid_params` if that person may not answer disputes; DashboardError as `assign`
 */
export async function assignFromDashboard(
  { disputes }: InboxDependencies,
  { context, staff, params, body, audit }: StaffCall<(typeof dashboardApi)['assignDispute']>,
): Promise<DashboardAnswer> {
  const dispute = await retrieveDispute(disputes, context, params.id ?? '');
  const colleagues = await colleaguesOf(disputes.db, context);
  const assignee = colleagues.find(({ id }) => id === body.user) ?? null;
  if (assignee === null && body.user !== null) {
    throw invalidParam('user', 'user must be somebody of the account who may answer disputes.');
  }
  await disputes.db.transaction(async (tx) => {
    const [before] = await draftsOf(tx, context, [dispute.id]);
    await assign(tx, context, dispute.id, assignee?.id ?? null);
    const emailOf = (user: string | null | undefined) =>
      colleagues.find(({ id }) => id === user)?.email ?? null;
    await audit(
      { before: { assignee: emailOf(before?.assignee) }, after: { assignee: emailOf(body.user) } },
      tx,
    );
    if (assignee === null || assignee.id === staff.userId || assignee.id === before?.assignee) return;
    const message = disputeAssigned(mailFor(dispute, context), staff.email);
    await queueMailTo({ ...disputes.mail, db: tx }, context.accountId, assignee.email, message);
  });
  return { status: 200, body: { assignee } };
}
