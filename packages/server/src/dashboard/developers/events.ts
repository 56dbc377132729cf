import { ApiError } from '@till/contract';
import { dashboardApi, type EventLine, mayCall } from '@till/contract/dashboard';
import { hasMovedTime } from '../../accounts/sql.ts';
import { retrieveEvent } from '../../events/events.ts';
import { type EventLineRow, eventPage } from '../../events/reads.ts';
import { isoSeconds } from '../../lib/clock.ts';
import { parseUrl } from '../../lib/web/url.ts';
import { sendEventTo } from '../../webhooks/delivery/retry.ts';
import { deliveriesOfEvent } from '../../webhooks/lists/deliveries.ts';
import type { DashboardApi } from '../api.ts';
import { presentDelivery, requireDelivery } from './deliveries.ts';
import type { DeveloperDependencies } from './dependencies.ts';
import { asDashboardErrors } from './endpoints.ts';
import { cappedPage, pageOf } from './pages.ts';
import { readRange } from './times.ts';

const present = (row: EventLineRow, livemode: boolean): EventLine => ({
  id: row.id,
  type: row.type,
  object_id: row.object_id,
  sequence: row.sequence,
  livemode,
  created_at: isoSeconds(row.created_at),
});

/** The operations on the account's event log. */
export function eventLogRoutes(api: DashboardApi, deps: DeveloperDependencies): void {
  const { reads } = deps;
  api.mount(dashboardApi.listEventLines, async ({ staff, query }) => {
    const place = pageOf(query);
    const filter = { ...readRange(query), type: query.type, search: query.search };
    const { rows, ...count } = await eventPage(reads, staff, filter, {
      ...place,
      hasMovedTime: hasMovedTime('$1'),
    });
    return {
      status: 200,
      body: cappedPage(
        rows.map((row) => present(row, staff.livemode)),
        count,
        place,
      ),
    };
  });
  api.mount(dashboardApi.retrieveEventLine, async ({ staff, params }) => {
    const { id = '' } = params;
    const event: unknown = JSON.parse(await retrieveEvent(reads, staff, id));
    const deliveries = await deliveriesOfEvent(reads, staff, id);
    // Every role sees events, but the part of an endpoint's URL after the host may be secret.
    const seesWhole = mayCall(dashboardApi.listWebhookEndpoints, staff.role, staff.livemode);
    return {
      status: 200,
      body: {
        event,
        deliveries: deliveries.map((row) => ({
          delivery: presentDelivery(row),
          url: seesWhole ? row.url : (parseUrl(row.url)?.origin ?? ''),
          endpoint_deleted: row.deleted,
        })),
      },
    };
  });
  api.mount(dashboardApi.resendEvent, async ({ staff, params, body, audit }) =>
    asDashboardErrors(async () => {
      const { id = '' } = params;
      const delivery = await sendEventTo(deps, staff, body.endpoint, id);
      if (delivery === undefined) throw new ApiError('not_found', 'There is no event with this id.');
      await audit({ after: { endpoint: body.endpoint } });
      return { status: 200, body: await requireDelivery(deps.db, staff, body.endpoint, delivery) };
    }),
  );
}
