import { ApiError, invalidParam } from '@till/contract';
import { DashboardError, dashboardApi, type WebhookEndpoint } from '@till/contract/dashboard';
import { isoSeconds } from '../../lib/clock.ts';
import {
  createEndpoint,
  deleteEndpoint,
  listEndpoints,
  pauseEndpoint,
  requireEndpoint,
  resumeEndpoint,
  rollSecret,
  sendTestEvent,
  updateEndpoint,
} from '../../webhooks/endpoints.ts';
import { WebhookError } from '../../webhooks/errors.ts';
import { endpointHealth, listDeliveriesOfEvent } from '../../webhooks/reads.ts';
import type { DashboardApi } from '../api.ts';
import type { DeveloperParts } from './parts.ts';
import { showTime } from './times.ts';

const dayMs = 86_400_000;

type EndpointRow = Awaited<ReturnType<typeof requireEndpoint>>;

/** What webhooks refuse, as the dashboard says it. */
export async function asDashboardErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    if (error.code === 'invalid_url') throw invalidParam('url', error.message);
    if (error.code === 'endpoint_paused') throw new DashboardError('conflict', error.message);
    throw new ApiError('not_found', error.message);
  }
}

async function present(parts: DeveloperParts, row: EndpointRow): Promise<WebhookEndpoint> {
  const since = new Date(parts.clock.now().getTime() - dayMs);
  const health = await endpointHealth(parts.db, row.account_id, row.id, since);
  return {
    id: row.id,
    url: row.url,
    status: row.status,
    paused_reason: row.paused_reason,
    additional_events: row.additional_events,
    failing_since: showTime(row.first_failure_at),
    created_at: isoSeconds(row.created_at),
    attempted: health.attempted,
    succeeded: health.succeeded,
    pending: health.pending,
    oldest_pending_at: showTime(health.oldest_pending),
  };
}

const settingsOf = ({ url, additional_events }: EndpointRow) => ({ url, additional_events });

/** The account's webhook endpoints, of both modes. */
export function endpointRoutes(api: DashboardApi, parts: DeveloperParts): void {
  const { db } = parts;
  api.mount(dashboardApi.listWebhookEndpoints, async ({ staff }) => {
    const rows = await listEndpoints(parts, staff.accountId);
    return { status: 200, body: { data: await Promise.all(rows.map((row) => present(parts, row))) } };
  });
  api.mount(dashboardApi.retrieveWebhookEndpoint, async ({ staff, params }) =>
    asDashboardErrors(async () => ({
      status: 200,
      body: await present(parts, await requireEndpoint(db, staff.accountId, params.id ?? '')),
    })),
  );
  api.mount(dashboardApi.createWebhookEndpoint, async ({ staff, body, audit }) =>
    asDashboardErrors(async () => {
      const wish = { url: body.url, additionalEvents: body.additional_events };
      const { endpoint, secret } = await createEndpoint(parts, staff.accountId, wish);
      await audit({ objectId: endpoint.id, after: settingsOf(endpoint) });
      return { status: 201, body: { endpoint: await present(parts, endpoint), secret } };
    }),
  );
  api.mount(dashboardApi.updateWebhookEndpoint, async ({ staff, params, body, audit }) =>
    asDashboardErrors(async () => {
      const { id = '' } = params;
      const before = await requireEndpoint(db, staff.accountId, id);
      const after = await updateEndpoint(parts, staff.accountId, id, {
        url: body.url,
        additionalEvents: body.additional_events,
      });
      await audit({ before: settingsOf(before), after: settingsOf(after) });
      return { status: 200, body: await present(parts, after) };
    }),
  );
  api.mount(dashboardApi.deleteWebhookEndpoint, async ({ staff, params, audit }) =>
    asDashboardErrors(async () => {
      const { id = '' } = params;
      const before = await requireEndpoint(db, staff.accountId, id);
      await deleteEndpoint(parts, staff.accountId, id);
      await audit({ before: settingsOf(before) });
      return { status: 200, body: { id, deleted: true } };
    }),
  );
  sendingRoutes(api, parts);
}

/** What changes how, and whether, an endpoint is sent to. */
function sendingRoutes(api: DashboardApi, parts: DeveloperParts): void {
  const { db } = parts;
  api.mount(dashboardApi.rollWebhookSecret, async ({ staff, params }) =>
    asDashboardErrors(async () => {
      const { id = '' } = params;
      const secret = await rollSecret(parts, staff.accountId, id);
      const { pending } = await endpointHealth(db, staff.accountId, id, parts.clock.now());
      return { status: 200, body: { secret, pending } };
    }),
  );
  api.mount(dashboardApi.pauseWebhookEndpoint, async ({ staff, params }) =>
    asDashboardErrors(async () => ({
      status: 200,
      body: await present(parts, await pauseEndpoint(parts, staff.accountId, params.id ?? '')),
    })),
  );
  api.mount(dashboardApi.resumeWebhookEndpoint, async ({ staff, params }) =>
    asDashboardErrors(async () => ({
      status: 200,
      body: await present(parts, await resumeEndpoint(parts, staff.accountId, params.id ?? '')),
    })),
  );
  api.mount(dashboardApi.sendTestEvent, async ({ staff, params }) =>
    asDashboardErrors(async () => {
      const event = await sendTestEvent(parts, staff, params.id ?? '');
      const [delivery] = await listDeliveriesOfEvent(db, staff, event);
      return { status: 201, body: { event, delivery: delivery?.id ?? null } };
    }),
  );
}
