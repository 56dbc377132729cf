import { DashboardError, type DisputeDraftChange } from '@till/contract/dashboard';
import type { AccountContext } from '../accounts/context.ts';
import {
  int,
  json,
  listOf,
  nullable,
  type RowOf,
  tenantColumns,
  text,
  texts,
  time,
} from '../store/columns.ts';
import type { Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';

/** The texts and files of a draft. Files are given by id. */
export type DraftContent = Omit<DisputeDraftChange, 'version'>;

export const draftColumns = {
  ...tenantColumns,
  dispute_id: text,
  /** 0 if the draft has no content yet. */
  version: int,
  content: nullable(json<DraftContent>()),
  files: texts,
  edited_by: nullable(text),
  edited_at: nullable(time),
  logged_at: nullable(time),
  /** Id of the assigned person. */
  assignee: nullable(text),
} as const;
export type DraftRow = RowOf<typeof draftColumns>;

/**
 * The statuses in which an answer is prepared. Statements lock the dispute while they write its draft; a trigger deletes the
 * draft when it ends.
 */
const isOpen = `status in ('new', 'action_required')`;

/** The drafts and assignees of some disputes. */
export async function draftsOf(
  db: Queryable,
  tenant: Tenant,
  disputes: readonly string[],
): Promise<DraftRow[]> {
  return db.query<DraftRow>({
    name: 'drafts_of_disputes',
    text: `select ${listOf(draftColumns, 'w')} from dispute_drafts w
           where w.tenant = $1 and w.dispute_id = any ($2)`,
    values: [tenant.tenant, disputes],
    scope: tenant,
  });
}

/** How long one audit log entry covers all edits of the same person. */
const entryMs = 15 * 60_000;

interface SavedDraft {
  readonly row: DraftRow;
  /** Whether an audit log entry is due. */
  readonly isNewEntry: boolean;
}

/**
 * Saves a draft, replacing the version that it was made from.
 * @throws DashboardError `conflict` if another person has changed it since, or the dispute does not wait for an answer
 */
export async function saveDraft(
  tx: Queryable,
  context: AccountContext,
  disputeId: string,
  { version, content, by }: { version: number; content: DraftContent; by: string },
): Promise<SavedDraft> {
  const [before] = await draftsOf(tx, context, [disputeId]);
  const isNewEntry =
    before?.edited_by !== by ||
    before.logged_at === null ||
    context.now.getTime() - before.logged_at.getTime() >= entryMs;
  const [row] = await tx.query<DraftRow>({
    name: 'save_dispute_draft',
    text: `insert into dispute_drafts as w (tenant, dispute_id, version, content, files, edited_by, edited_at, logged_at)
           select d.tenant, d.id, 1, $4, $5, $6, $7, $7 from disputes d
           where d.tenant = $1 and d.id = $2 and d.status = 'action_required'
             and ($3 = 0 or exists (select from dispute_drafts k where k.tenant = d.tenant and k.dispute_id = d.id))
           for share of d
           on conflict (tenant, dispute_id) do update set version = w.version + 1, content = excluded.content,
             files = excluded.files, edited_by = excluded.edited_by, edited_at = excluded.edited_at,
             logged_at = case when $8 then excluded.logged_at else w.logged_at end
             where w.version = $3
           returning ${listOf(draftColumns, 'w')}`,
    values: [
      context.tenant,
      disputeId,
      version,
      JSON.stringify(content),
      [...new Set(content.evidence.flatMap(({ files }) => files))],
      by,
      context.now,
      isNewEntry,
    ],
    scope: context,
  });
  if (row !== undefined) return { row, isNewEntry };
  const [present] = await draftsOf(tx, context, [disputeId]);
  throw new DashboardError(
    'conflict',
    present === undefined || present.version === version
      ? 'This dispute waits for no answer any more.'
      : `${present.edited_by ?? 'Somebody'} has changed this draft meanwhile. Nothing was overwritten.`,
  );
}

/**
 * Assigns a dispute to a person.
 * @param assignee null to remove the assignment @throws DashboardError `conflict` if the dispute does not wait for an answer
 */
export async function assign(
  tx: Queryable,
  context: AccountContext,
  disputeId: string,
  assignee: string | null,
): Promise<void> {
  const rows = await tx.query({
    name: 'assign_dispute',
    text: `insert into dispute_drafts as w (tenant, dispute_id, version, assignee)
           select d.tenant, d.id, 0, $3 from disputes d
           where d.tenant = $1 and d.id = $2 and d.${isOpen}
           for share of d
           on conflict (tenant, dispute_id) do update set assignee = excluded.assignee
           returning 1`,
    values: [context.tenant, disputeId, assignee],
    scope: context,
  });
  if (rows.length === 0) throw new DashboardError('conflict', 'This dispute waits for no answer any more.');
}

/** SQL for whether a dispute `d` is assigned to a person. @param person SQL of their id */
export const isAssignedTo = (person: string): string => `exists (
  select from dispute_drafts w where w.tenant = d.tenant and w.dispute_id = d.id and w.assignee = ${person})`;

/** SQL for whether a dispute `d` is assigned to none of some people. @param people SQL of an array of their ids */
export const isAssignedToNone = (people: string): string => `not exists (
  select from dispute_drafts w where w.tenant = d.tenant and w.dispute_id = d.id and w.assignee = any (${people}))`;
