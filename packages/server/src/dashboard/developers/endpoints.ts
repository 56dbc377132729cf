import { ApiError, invalidParam } from '@till/contract';
import { DashboardError, dashboardApi, type WebhookEndpoint } from '@till/contract/dashboard';
import { isoSeconds } from '../../lib/clock.ts';
import { type EndpointHealth, endpointHealth, listDeliveriesOfEvent } from '../../webhooks/delivery/reads.ts';
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

/** An endpoint's deliveries in the last day. Read before a change, since this query counts many rows and may be cancelled. */
const healthOf = (
  { reads, clock }: DeveloperDependencies,
  accountId: string,
  id: string,
): Promise<EndpointHealth> => endpointHealth(reads, accountId, id, new Date(clock.now().getTime() - dayMs));

const unused: EndpointHealth = { attempted: 0, succeeded: 0, pending: 0, retrying: 0, oldest_pending: null };

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
  (row: EndpointRow, health: EndpointHealth): WebhookEndpoint => ({
    id: row.id,
    ...settingsOf(row),
    status: row.status,
    paused_reason: row.paused_reason,
    former_secret_until: showTime(formerUntil(row, clock.now())),
    failing_since: showTime(row.first_failure_at),
    created_at: isoSeconds(row.created_at),
    attempted: health.attempted,
    succeeded: health.succeeded,
    pending: health.pending,
    retrying: health.retrying,
    oldest_pending_at: showTime(health.oldest_pending),
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
  api.mount(dashboardApi.listWebhookEndpoints, async ({ staff }) => {
    const { accountId } = staff;
    const rows = await listEndpoints({ db: reads }, accountId);
    const data = await Promise.all(
      rows.map(async (row) => show(row, await healthOf(deps, accountId, row.id))),
    );
    return { status: 200, body: { data } };
  });
  api.mount(dashboardApi.retrieveWebhookEndpoint, async ({ staff, params }) =>
    asDashboardErrors(async () => {
      const row = await requireEndpoint(reads, staff.accountId, params.id ?? '');
      return { status: 200, body: show(row, await healthOf(deps, staff.accountId, row.id)) };
    }),
  );
  api.mount(dashboardApi.createWebhookEndpoint, async ({ staff, body, audit }) =>
    asDashboardErrors(async () => {
      const { url, additional_events: additionalEvents } = body;
      const asked = { url, additionalEvents, ...readOptions(body) };
      const { endpoint, secret } = await createEndpoint(deps, staff.accountId, asked, (tx, made) =>
        audit({ objectId: made.id, after: settingsOf(made) }, tx),
      );
      return { status: 201, body: { endpoint: show(endpoint, unused), secret } };
    }),
  );
  api.mount(dashboardApi.updateWebhookEndpoint, async ({ staff, params, body, audit }) =>
    asDashboardErrors(async () => {
      const { id = '' } = params;
      const before = await requireEndpoint(db, staff.accountId, id);
      const health = await healthOf(deps, staff.accountId, id);
      const changes = { url: body.url, additionalEvents: body.additional_events, ...readOptions(body) };
      const after = await updateEndpoint(deps, staff.accountId, id, changes, (tx, changed) =>
        audit({ before: settingsOf(before), after: settingsOf(changed) }, tx),
      );
      return { status: 200, body: show(after, health) };
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
      const { pending } = await healthOf(deps, staff.accountId, id);
      const { secret, formerUntil: until } = await rollSecret(deps, staff.accountId, id, (tx) =>
        audit({}, tx),
      );
      return { status: 200, body: { secret, pending, former_secret_until: showTime(until) } };
    }),
  );
  api.mount(dashboardApi.pauseWebhookEndpoint, async ({ staff, params, audit }) =>
    asDashboardErrors(async () => {
      const { id = '' } = params;
      const health = await healthOf(deps, staff.accountId, id);
      const row = await pauseEndpoint(deps, staff.accountId, id, (tx) => audit({}, tx));
      return { status: 200, body: show(row, health) };
    }),
  );
  api.mount(dashboardApi.resumeWebhookEndpoint, async ({ staff, params, audit }) =>
    asDashboardErrors(async () => {
      const { id = '' } = params;
      const health = await healthOf(deps, staff.accountId, id);
      const row = await resumeEndpoint(deps, staff.accountId, id, (tx) => audit({}, tx));
      return { status: 200, body: show(row, health) };
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
