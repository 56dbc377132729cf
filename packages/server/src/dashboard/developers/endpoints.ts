import { ApiError, invalidParam } from '@till/contract';
import {
  DashboardError,
  dashboardApi,
  type WebhookEndpoint,
  type WebhookEndpointHealth,
} from '@till/contract/dashboard';
import { isoSeconds } from '../../lib/clock.ts';
import { timeoutKind } from '../../store/database.ts';
import { endpointHealth, listDeliveriesOfEvent } from '../../webhooks/delivery/reads.ts';
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
} from '../../webhooks/endpoints/endpoints.ts';
import { WebhookError } from '../../webhooks/errors.ts';
import type { DashboardApi } from '../api.ts';
import type { DeveloperDependencies } from './dependencies.ts';
import { showTime } from './times.ts';

const dayMs = 86_400_000;

type EndpointRow = Awaited<ReturnType<typeof requireEndpoint>>;

/** Translates webhook errors into dashboard errors. */
export async function asDashboardErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    if (error.code === 'invalid_url') throw invalidParam('url', error.message);
    if (error.code === 'invalid_events') throw invalidParam('event_types', error.message);
    if (error.code === 'invalid_overlap') throw invalidParam('secret_overlap_seconds', error.message);
    if (error.code === 'too_many_endpoints') throw new ApiError('invalid_params', error.message);
    if (error.code === 'endpoint_paused') throw new DashboardError('conflict', error.message);
    if (error.code === 'replay_under_way') throw new DashboardError('conflict', error.message);
    throw new ApiError('not_found', error.message);
  }
}

/**
 * Counts an endpoint's attempts of the last day and its pending deliveries. A busy endpoint has so many that the query may be
 * cancelled, so no operation that changes an endpoint waits for it.
 * @returns null if the query took too long or no connection for it came free in time
 */
async function healthOf(
  { reads, clock }: DeveloperDependencies,
  accountId: string,
  id: string,
): Promise<WebhookEndpointHealth | null> {
  try {
    const since = new Date(clock.now().getTime() - dayMs);
    const { oldest_pending: oldest, ...counts } = await endpointHealth(reads, accountId, id, since);
    return { ...counts, oldest_pending_at: showTime(oldest) };
  } catch (error) {
    if (timeoutKind(error) === undefined) throw error;
    return null;
  }
}

/** The settings that the merchant chooses and that the audit log shows. */
const settingsOf = (row: EndpointRow) => ({
  url: row.url,
  name: row.name,
  additional_events: row.additional_events,
  event_types: row.event_types && [...row.event_types],
  payload: row.payload,
  secret_overlap_seconds: row.secret_overlap_seconds,
});

const present =
  ({ clock }: Pick<DeveloperDependencies, 'clock'>) =>
  (row: EndpointRow): WebhookEndpoint => ({
    id: row.id,
    ...settingsOf(row),
    status: row.status,
    paused_reason: row.paused_reason,
    former_secret_until: showTime(formerUntil(row, clock.now())),
    failing_since: showTime(row.first_failure_at),
    created_at: isoSeconds(row.created_at),
  });

/** @param now real time */
const formerUntil = ({ previous_secret_until: until }: EndpointRow, now: Date) =>
  until !== null && until > now ? until : null;

type Options = Pick<WebhookEndpoint, 'name' | 'event_types' | 'payload' | 'secret_overlap_seconds'>;

const readOptions = (body: { readonly [K in keyof Options]?: Options[K] | undefined }) => ({
  name: body.name,
  eventTypes: body.event_types,
  payload: body.payload,
  secretOverlapSeconds: body.secret_overlap_seconds,
});

/** The operations on the account's webhook endpoints, which serve both modes. */
export function endpointRoutes(api: DashboardApi, deps: DeveloperDependencies): void {
  const { db, reads } = deps;
  const show = present(deps);
  const showWithHealth = async (row: EndpointRow) => ({
    ...show(row),
    health: await healthOf(deps, row.account_id, row.id),
  });
  api.mount(dashboardApi.listWebhookEndpoints, async ({ staff }) => {
    const rows = await listEndpoints({ db: reads }, staff.accountId);
    return { status: 200, body: { data: await Promise.all(rows.map(showWithHealth)) } };
  });
  api.mount(dashboardApi.retrieveWebhookEndpoint, async ({ staff, params }) =>
    asDashboardErrors(async () => {
      const row = await requireEndpoint(reads, staff.accountId, params.id ?? '');
      return { status: 200, body: await showWithHealth(row) };
    }),
  );
  api.mount(dashboardApi.createWebhookEndpoint, async ({ staff, body, audit }) =>
    asDashboardErrors(async () => {
      const { url, additional_events: additionalEvents } = body;
      const asked = { url, additionalEvents, ...readOptions(body) };
      const { endpoint, secret } = await createEndpoint(deps, staff.accountId, asked, (tx, made) =>
        audit({ objectId: made.id, after: settingsOf(made) }, tx),
      );
      return { status: 201, body: { endpoint: show(endpoint), secret } };
    }),
  );
  api.mount(dashboardApi.updateWebhookEndpoint, async ({ staff, params, body, audit }) =>
    asDashboardErrors(async () => {
      const { id = '' } = params;
      const before = await requireEndpoint(db, staff.accountId, id);
      const changes = { url: body.url, additionalEvents: body.additional_events, ...readOptions(body) };
      const after = await updateEndpoint(deps, staff.accountId, id, changes, (tx, changed) =>
        audit({ before: settingsOf(before), after: settingsOf(changed) }, tx),
      );
      return { status: 200, body: show(after) };
    }),
  );
  api.mount(dashboardApi.deleteWebhookEndpoint, async ({ staff, params, audit }) =>
    asDashboardErrors(async () => {
      const { id = '' } = params;
      const before = await requireEndpoint(db, staff.accountId, id);
      await deleteEndpoint(deps, staff.accountId, id, (tx) => audit({ before: settingsOf(before) }, tx));
      return { status: 200, body: { id, deleted: true } };
    }),
  );
  sendingRoutes(api, deps);
}

/** The operations that change how, and whether, events are sent to an endpoint. */
function sendingRoutes(api: DashboardApi, deps: DeveloperDependencies): void {
  const { db } = deps;
  const show = present(deps);
  api.mount(dashboardApi.rollWebhookSecret, async ({ staff, params, audit }) =>
    asDashboardErrors(async () => {
      const { id = '' } = params;
      const { secret, formerUntil: until } = await rollSecret(deps, staff.accountId, id, (tx) =>
        audit({}, tx),
      );
      return { status: 200, body: { secret, former_secret_until: showTime(until) } };
    }),
  );
  api.mount(dashboardApi.pauseWebhookEndpoint, async ({ staff, params, audit }) =>
    asDashboardErrors(async () => {
      const { id = '' } = params;
      const row = await pauseEndpoint(deps, staff.accountId, id, (tx) => audit({}, tx));
      return { status: 200, body: show(row) };
    }),
  );
  api.mount(dashboardApi.resumeWebhookEndpoint, async ({ staff, params, audit }) =>
    asDashboardErrors(async () => {
      const { id = '' } = params;
      const row = await resumeEndpoint(deps, staff.accountId, id, (tx) => audit({}, tx));
      return { status: 200, body: show(row) };
    }),
  );
  api.mount(dashboardApi.sendTestEvent, async ({ staff, params }) =>
    asDashboardErrors(async () => {
      const event = await sendTestEvent(deps, staff, params.id ?? '');
      const [delivery] = await listDeliveriesOfEvent(db, staff, event);
      return { status: 201, body: { event, delivery: delivery?.id ?? null } };
    }),
  );
}
