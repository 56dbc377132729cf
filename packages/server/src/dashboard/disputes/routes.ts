import { ApiError } from '@till/contract';
import { type Colleague, dashboardApi, type InboxDispute } from '@till/contract/dashboard';
import type { AccountContext } from '../../accounts/context.ts';
import { retrieveDispute } from '../../disputes/deadlines/retrieve-dispute.ts';
import { draftsOf } from '../../disputes/drafts.ts';
import { inboxPage, tabCounts } from '../../disputes/inbox.ts';
import { type DisputeRow, presentDispute } from '../../disputes/present.ts';
import { createFile, presentFile, retrieveFile } from '../../files/files.ts';
import type { Queryable } from '../../store/database.ts';
import type { DashboardApi } from '../api.ts';
import { cappedPage, pageOf } from '../developers/pages.ts';
import { acceptFromDashboard, defendFromDashboard } from './answer.ts';
import type { Inbox } from './dependencies.ts';
import { retrieveDisputeDetail } from './detail.ts';
import { assignFromDashboard, colleaguesOf, saveFromDashboard, summaryOf } from './draft.ts';
import { exportDisputes } from './export-disputes.ts';
import { proposedEvidenceRoutes } from './proposed-evidence.ts';

/** The operations of the disputes inbox, including those that answer a dispute. */
export function disputesDashboardRoutes(api: DashboardApi, deps: Inbox): void {
  const { disputes, reading } = deps;
  const { db } = reading.disputes;
  api.mount(dashboardApi.listDisputes, async ({ context, staff, query }) => {
    const place = pageOf(query);
    const [people, tabs] = await Promise.all([colleaguesOf(db, context), tabCounts(db, context)]);
    const colleagues = people.map(({ id }) => id);
    const of = { me: staff.userId, colleagues };
    const tab = query.tab ?? 'action_required';
    const { rows, ...count } = await inboxPage(db, context, { ...query, tab }, place, of);
    const lines = await inboxLines(db, context, rows, people);
    return { status: 200, body: { ...cappedPage(lines, count, place), tabs } };
  });
  api.mount(dashboardApi.exportDisputes, async ({ context, staff, query, audit }) => {
    const colleagues = (await colleaguesOf(db, context)).map(({ id }) => id);
    const file = exportDisputes(db, context, query, { me: staff.userId, colleagues });
    await audit({ objectId: null, after: { filters: query } });
    return { file };
  });
  api.mount(dashboardApi.retrieveDispute, async ({ context, params }) => ({
    status: 200,
    body: await retrieveDisputeDetail(reading, context, params.id ?? ''),
  }));

  /** Answers 404 for an unknown dispute before the body is checked. */
  const exists: Parameters<typeof api.mount>[2] = async ({ context }, { id = '' }) =>
    void (await retrieveDispute(disputes, context, id));
  api.mount(dashboardApi.acceptDispute, (call) => acceptFromDashboard(deps, call), exists);
  api.mount(dashboardApi.defendDispute, (call) => defendFromDashboard(deps, call), exists);
  api.mount(dashboardApi.saveDisputeDraft, (call) => saveFromDashboard(deps, call), exists);
  api.mount(dashboardApi.assignDispute, (call) => assignFromDashboard(deps, call), exists);
  proposedEvidenceRoutes(api, deps, exists);
  fileDashboardRoutes(api, deps);
}

/** The disputes of a page, each with its draft and assignee. */
async function inboxLines(
  db: Queryable,
  context: AccountContext,
  rows: readonly DisputeRow[],
  people: readonly Colleague[],
): Promise<InboxDispute[]> {
  const drafts = await draftsOf(
    db,
    context,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => {
    const draft = drafts.find((one) => one.dispute_id === row.id);
    return {
      ...presentDispute(row, context),
      draft: summaryOf(draft),
      assignee: people.find(({ id }) => id === draft?.assignee)?.email ?? null,
    };
  });
}

function fileDashboardRoutes(api: DashboardApi, { files, reading }: Inbox): void {
  api.mount(dashboardApi.uploadEvidence, async ({ context, upload, audit }) => {
    const file = await createFile(files, context, await upload());
    const { id, name, content_type: contentType, size } = file;
    await audit({ objectId: id, after: { name, content_type: contentType, size } });
    return { status: 201, body: presentFile(file, context) };
  });
  api.mount(dashboardApi.downloadFile, async ({ context, params }) => {
    const kept = reading.files;
    const { id, name, content_type: contentType } = await retrieveFile(kept, context, params.id ?? '');
    const content = (await kept.store.contents(context, [id])).get(id);
    if (content === undefined) throw new ApiError('not_found', 'There is no file with this id.');
    return { file: { name, contentType, content: Buffer.from(content) } };
  });
}
