import { ApiError } from '@till/contract';
import { dashboardApi } from '@till/contract/dashboard';
import { retrieveDispute } from '../../disputes/deadlines/retrieve-dispute.ts';
import { inboxPage, tabCounts } from '../../disputes/inbox.ts';
import { presentDispute } from '../../disputes/present.ts';
import { createFile, presentFile, retrieveFile } from '../../files/files.ts';
import type { DashboardApi } from '../api.ts';
import { cappedPage, pageOf } from '../developers/pages.ts';
import { acceptFromDashboard, defendFromDashboard } from './answer.ts';
import type { Inbox } from './dependencies.ts';
import { retrieveDisputeDetail } from './detail.ts';
import { exportDisputes } from './export-disputes.ts';

/** The inbox of disputes, and answering them. */
export function disputesDashboardRoutes(api: DashboardApi, deps: Inbox): void {
  const { disputes, reading } = deps;
  const { db } = reading.disputes;
  api.mount(dashboardApi.listDisputes, async ({ context, query }) => {
    const place = pageOf(query);
    const [{ rows, ...count }, tabs] = await Promise.all([
      inboxPage(db, context, { ...query, tab: query.tab ?? 'action_required' }, place),
      tabCounts(db, context),
    ]);
    return {
      status: 200,
      body: {
        ...cappedPage(
          rows.map((row) => presentDispute(row, context)),
          count,
          place,
        ),
        tabs,
      },
    };
  });
  api.mount(dashboardApi.exportDisputes, async ({ context, query, audit }) => {
    const file = exportDisputes(db, context, query);
    await audit({ objectId: null, after: { filters: query } });
    return { file };
  });
  api.mount(dashboardApi.retrieveDispute, async ({ context, params }) => ({
    status: 200,
    body: await retrieveDisputeDetail(reading, context, params.id ?? ''),
  }));

  /** The path names a dispute before anything of the body is checked. */
  const exists: Parameters<typeof api.mount>[2] = async ({ context }, { id = '' }) =>
    void (await retrieveDispute(disputes, context, id));
  api.mount(dashboardApi.acceptDispute, (call) => acceptFromDashboard(deps, call), exists);
  api.mount(dashboardApi.defendDispute, (call) => defendFromDashboard(deps, call), exists);
  fileDashboardRoutes(api, deps);
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
