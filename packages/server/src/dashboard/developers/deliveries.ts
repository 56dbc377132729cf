import { ApiError } from '@till/contract';
import { type Delivery, type DeliveryAttempt, dashboardApi } from '@till/contract/dashboard';
import { disputesOf } from '../../disputes/sql.ts';
import { isoSeconds } from '../../lib/clock.ts';
import { refundsOf } from '../../refunds/reads.ts';
import type { Queryable } from '../../store/database.ts';
import type { Conditions } from '../../store/list.ts';
import type { Tenant } from '../../store/tenant.ts';
import { type AttemptRow, listAttempts } from '../../webhooks/delivery/reads.ts';
import { defaultPerSecond, recoverDeliveries, retryDelivery } from '../../webhooks/delivery/retry.ts';
import { requireEndpoint } from '../../webhooks/endpoints/endpoints.ts';
import {
  type DeliveryLine,
  deliveryPage,
  findDeliveryLine,
  recoveryState,
} from '../../webhooks/lists/deliveries.ts';
import { replayEvents } from '../../webhooks/replay/replay.ts';
import type { DashboardApi, Staff } from '../api.ts';
import type { DeveloperDependencies } from './dependencies.ts';
import { asDashboardErrors } from './endpoints.ts';
import { cappedPage, pageOf } from './pages.ts';
import { readRange, readTime, showTime } from './times.ts';

export const presentDelivery = (row: DeliveryLine): Delivery => ({
  id: row.id,
  endpoint: row.endpoint_id,
  event: row.event_id,
  event_type: row.event_type,
  livemode: row.livemode,
  state: row.state,
  attempts: row.attempts,
  next_attempt_at: showTime(row.next_attempt_at),
  created_at: isoSeconds(row.created_at),
  last_attempt:
    row.last_at === null
      ? null
      : {
          answer_status: row.last_status,
          error: row.last_error,
          duration_ms: row.last_duration_ms ?? 0,
          at: isoSeconds(row.last_at),
        },
});

const presentAttempt = (row: AttemptRow): DeliveryAttempt => ({ ...row, at: isoSeconds(row.at) });

/** @throws ApiError `not_found` */
async function requireLine(
  db: Queryable,
  { accountId }: Staff,
  endpointId: string,
  id: string,
): Promise<DeliveryLine> {
  const row = await findDeliveryLine(db, accountId, endpointId, id);
  if (row === undefined) throw new ApiError('not_found', 'There is no delivery with this id.');
  return row;
}

/** @throws ApiError `not_found` */
export const requireDelivery = async (...of: Parameters<typeof requireLine>): Promise<Delivery> =>
  presentDelivery(await requireLine(...of));

/** SQL of the ids of a payment, its refunds and its disputes. */
const objectsOf = (tenant: Tenant, payment: string) => (where: Conditions) => {
  const given = [where.value(tenant.tenant), where.value(payment)] as const;
  return `select ${given[1]} union all ${refundsOf(...given)} union all ${disputesOf(...given)}`;
};

/** The operations that list an endpoint's deliveries and send them again. */
export function deliveryRoutes(api: DashboardApi, deps: DeveloperDependencies): void {
  const { db, reads } = deps;
  const endpoint = ({ accountId }: Staff, id = '') =>
    asDashboardErrors(() => requireEndpoint(reads, accountId, id));
  api.mount(dashboardApi.listDeliveries, async ({ staff, params, query }) => {
    const { id } = await endpoint(staff, params.id);
    const place = pageOf(query);
    const filter = {
      ...readRange(query),
      state: query.state,
      type: query.type,
      objects: query.payment === undefined ? undefined : objectsOf(staff, query.payment),
      livemode: query.mode === undefined ? undefined : query.mode === 'live',
    };
    const { rows, ...count } = await deliveryPage(reads, staff, id, filter, place);
    return { status: 200, body: cappedPage(rows.map(presentDelivery), count, place) };
  });
  api.mount(dashboardApi.retrieveDelivery, async ({ staff, params }) => {
    const { id } = await endpoint(staff, params.id);
    const delivery = await requireLine(reads, staff, id, params.delivery ?? '');
    const attempts = await listAttempts(reads, { ...delivery, account_id: staff.accountId });
    return {
      status: 200,
      body: { delivery: presentDelivery(delivery), attempts: attempts.map(presentAttempt) },
    };
  });
  api.mount(dashboardApi.resendDelivery, async ({ staff, params, audit }) =>
    asDashboardErrors(async () => {
      const { id = '', delivery = '' } = params;
      await retryDelivery(deps, staff.accountId, id, delivery);
      await audit({ objectId: delivery, after: { endpoint: id } });
      return { status: 200, body: await requireDelivery(db, staff, id, delivery) };
    }),
  );
  api.mount(dashboardApi.recoverDeliveries, async ({ staff, params, body, audit }) =>
    asDashboardErrors(async () => {
      const { since, until, types, replay = false, per_second: perSecond = defaultPerSecond } = body;
      const send = replay ? replayEvents : recoverDeliveries;
      const { sent: resent, left } = await send(deps, staff.accountId, params.id ?? '', {
        since: readTime('since', since),
        until: until === undefined ? undefined : readTime('until', until),
        types,
        perSecond,
      });
      await audit({
        objectId: params.id ?? '',
        after: { since, until, types, ...(replay ? { replay } : {}), resent },
      });
      return { status: 200, body: { resent, left } };
    }),
  );
  api.mount(dashboardApi.retrieveRecovery, async ({ staff, params, query }) => {
    const { id } = await endpoint(staff, params.id);
    const body = await recoveryState(reads, staff.accountId, id, {
      since: readTime('since', query.since),
      until: query.until === undefined ? undefined : readTime('until', query.until),
      type: query.type,
    });
    return { status: 200, body };
  });
}
