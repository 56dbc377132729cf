import { dashboardApi } from '@till/contract/dashboard';
import type { Clock } from '../../lib/clock.ts';
import type { Database, Queryable } from '../../store/database.ts';
import type { DashboardApi } from '../api.ts';
import { keptView, listSavedViews, removeView, saveView } from './saved-views.ts';

/** The operations on filters of lists that people save for themselves. */
export function savedViewsDashboardRoutes(
  api: DashboardApi,
  { db, clock }: { readonly db: Database; readonly clock: Pick<Clock, 'now'> },
): void {
  api.mount(dashboardApi.listSavedViews, async ({ staff, query }) => ({
    status: 200,
    body: { data: await listSavedViews(db, staff, query.list ?? null) },
  }));
  api.mount(dashboardApi.saveView, async ({ staff, body, audit }) => {
    const { list } = body;
    const { name } = keptView(body);
    const logged = (tx: Queryable) => audit({ objectId: null, after: { list, name } }, tx);
    return { status: 201, body: await saveView(db, staff, { ...body, at: clock.now() }, logged) };
  });
  api.mount(dashboardApi.removeView, async ({ staff, params, audit }) => {
    const { list = '', name = '' } = params;
    await removeView(db, staff, { list, name }, (tx) =>
      audit({ objectId: null, before: { list, name } }, tx),
    );
    return { status: 200, body: { name, deleted: true } };
  });
}
