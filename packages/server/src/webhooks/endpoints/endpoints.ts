import { eventColumns, eventInput, insertEvents } from '../../events/events.ts';
import { unixSeconds } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import { cte, int, keyColumns, type RowOf, rowsOfJson } from '../../store/columns.ts';
import type { Queryable } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';
import { endpointPlace } from '../../vault/places.ts';
import type { WebhookDependencies } from '../dependencies.ts';
import { WebhookError } from '../errors.ts';
import { readEventFilter } from './event-filter.ts';
import { newSecret } from './sign.ts';
import {
  countEndpointsLocked,
  countTest,
  type EndpointChanges,
  type EndpointRow,
  insertEndpoint,
  markDeleted,
  selectAccountOfEndpoint,
  selectEndpoint,
  selectEndpoints,
  updateEndpointRow,
  updateSecret,
  updateStatus,
} from './store.ts';
import { requireTargetUrl } from './target-address.ts';

const unknown = (id: string) =>
  new WebhookError('endpoint_not_found', `There is no webhook endpoint ${id.slice(0, 100)}.`);

const tooMany = () =>
  new WebhookError(
    'too_many_endpoints',
    `An account has at most ${maxEndpoints} webhook endpoints. Delete one first.`,
  );

function requireFound<T>(found: T | undefined, id: string): T {
  if (found === undefined) throw unknown(id);
  return found;
}

/** Writes what belongs to the same transaction as a change, such as its audit entry. @param endpoint as it is after the change */
export type WithChange = (tx: Queryable, endpoint: EndpointRow) => Promise<void>;

const nothingElse = async () => {};

/** The maximum number of endpoints of an account, both modes together (decisions, "Limits and refusals"). */
export const maxEndpoints = 16;

/** Trims a name. A name of spaces only becomes null. */
const endpointName = (name: string | null | undefined) =>
  name === undefined ? undefined : name?.trim() || null;

/**
 * Adds an endpoint. This is the only time that the secret is returned (spec, "Events").
 * @throws WebhookError `invalid_url`, `invalid_events`, `invalid_overlap`, `too_many_endpoints`
 */
export async function createEndpoint(
  deps: WebhookDependencies,
  accountId: string,
  request: {
    readonly url: string;
    readonly additionalEvents: boolean;
    readonly name?: string | null | undefined;
    readonly eventTypes?: readonly string[] | null | undefined;
    readonly payload?: EndpointRow['payload'] | undefined;
    readonly secretOverlapSeconds?: number | undefined;
  },
  inside: WithChange = nothingElse,
): Promise<{ endpoint: EndpointRow; secret: string }> {
  const url = requireTargetUrl(request.url);
  const { eventTypes = null, payload = 'full', secretOverlapSeconds: overlap = 0 } = request;
  const filter = readEventFilter(eventTypes);
  requireOverlap(overlap);
  const now = deps.clock.now();
  const id = newId('we', now, deps.randomBytes);
  const secret = newSecret(deps.randomBytes);
  const sealed = await deps.vault.seal(accountId, endpointPlace(accountId, id), secret);
  const row = {
    account_id: accountId,
    id,
    url,
    name: endpointName(request.name) ?? null,
    additional_events: request.additionalEvents,
    event_types: filter,
    payload,
    secret_overlap_seconds: overlap,
    created_at: now,
  };
  const endpoint = await deps.db.transaction(async (tx) => {
    if ((await countEndpointsLocked(tx, accountId)) >= maxEndpoints) throw tooMany();
    const inserted = requireFound(await insertEndpoint(tx, row, sealed), id);
    await inside(tx, inserted);
    return inserted;
  });
  return { endpoint, secret };
}

/** The account's endpoints, oldest first. */
export function listEndpoints(
  deps: Pick<WebhookDependencies, 'db'>,
  accountId: string,
): Promise<EndpointRow[]> {
  return selectEndpoints(deps.db, accountId);
}

/** @throws WebhookError `endpoint_not_found` */
export async function requireEndpoint(db: Queryable, accountId: string, id: string): Promise<EndpointRow> {
  return requireFound(await selectEndpoint(db, accountId, id), id);
}

/** Finds the account of an endpoint that an operator names by its id alone. @throws WebhookError `endpoint_not_found` */
export async function accountOfEndpoint(deps: Pick<WebhookDependencies, 'db'>, id: string): Promise<string> {
  return requireFound(await selectAccountOfEndpoint(deps.db, id), id);
}

/**
 * Replaces the signing secret. Attempts that begin later are signed with the new secret and, during the endpoint's overlap,
 * with the former one too. After several rolls within that time, only the latest former secret still signs.
 * @returns the new secret, which is shown only now, and the real time until which the former one signs too
 * @throws WebhookError `endpoint_not_found`
 */
export async function rollSecret(
  deps: WebhookDependencies,
  accountId: string,
  id: string,
  inside: WithChange = nothingElse,
): Promise<{ readonly secret: string; readonly formerUntil: Date | null }> {
  const secret = newSecret(deps.randomBytes);
  const sealed = await deps.vault.seal(accountId, endpointPlace(accountId, id), secret);
  const now = deps.clock.now();
  const endpoint = await changed(deps, id, (tx) => updateSecret(tx, accountId, id, sealed, now), inside);
  return { secret, formerUntil: endpoint.previous_secret_until };
}

/** Commits a change together with what `inside` writes. @throws WebhookError `endpoint_not_found` */
const changed = (
  { db }: Pick<WebhookDependencies, 'db'>,
  id: string,
  change: (tx: Queryable) => Promise<EndpointRow | undefined>,
  inside: WithChange,
): Promise<EndpointRow> =>
  db.transaction(async (tx) => {
    const endpoint = requireFound(await change(tx), id);
    await inside(tx, endpoint);
    return endpoint;
  });

/** The maximum time for which two secrets may sign. */
export const maxOverlapSeconds = 7 * 86_400;

function requireOverlap(seconds: number): void {
  if (Number.isInteger(seconds) && seconds >= 0 && seconds <= maxOverlapSeconds) return;
  throw new WebhookError('invalid_overlap', 'Both secrets may sign for 7 days at most.');
}

/** Changes the named fields. @throws WebhookError `endpoint_not_found`, `invalid_url`, `invalid_events`, `invalid_overlap` */
export async function updateEndpoint(
  deps: Pick<WebhookDependencies, 'db'>,
  accountId: string,
  id: string,
  changes: EndpointChanges,
  inside: WithChange = nothingElse,
): Promise<EndpointRow> {
  if (changes.url !== undefined) requireTargetUrl(changes.url);
  const { eventTypes: asked, secretOverlapSeconds: overlap } = changes;
  const eventTypes = asked === undefined ? undefined : readEventFilter(asked);
  if (overlap !== undefined) requireOverlap(overlap);
  const name = endpointName(changes.name);
  const named = { ...changes, name, eventTypes };
  return changed(deps, id, (tx) => updateEndpointRow(tx, accountId, id, named), inside);
}

/** Deletes an endpoint and ends its pending deliveries. @throws WebhookError `endpoint_not_found` */
export async function deleteEndpoint(
  deps: Pick<WebhookDependencies, 'db' | 'clock'>,
  accountId: string,
  id: string,
  inside: (tx: Queryable) => Promise<void> = nothingElse,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    if (!(await markDeleted(tx, accountId, id, deps.clock.now()))) throw unknown(id);
    await inside(tx);
  });
}

/** Stops sending. New events are stored for the endpoint until it is resumed. @throws WebhookError `endpoint_not_found` */
export async function pauseEndpoint(
  deps: Pick<WebhookDependencies, 'db'>,
  accountId: string,
  id: string,
  inside: WithChange = nothingElse,
): Promise<EndpointRow> {
  return changed(deps, id, (tx) => updateStatus(tx, accountId, id, 'paused'), inside);
}

/** Resumes sending, beginning with the deliveries that waited. @throws WebhookError `endpoint_not_found` */
export async function resumeEndpoint(
  deps: Pick<WebhookDependencies, 'db' | 'wake'>,
  accountId: string,
  id: string,
  inside: WithChange = nothingElse,
): Promise<EndpointRow> {
  const endpoint = await changed(deps, id, (tx) => updateStatus(tx, accountId, id, 'active'), inside);
  deps.wake(accountId);
  return endpoint;
}

/** @throws WebhookError `endpoint_paused` */
export function requireActive(endpoint: EndpointRow): void {
  if (endpoint.status === 'active') return;
  throw new WebhookError('endpoint_paused', `${endpoint.id} is paused. Resume it first.`);
}

const testInput = { n: int, ...keyColumns, ...eventColumns } as const;

const testSql = `with input as (select * from ${rowsOfJson(testInput)}),
  ${insertEvents(cte('input', testInput))}
  select event_id from with_event`;

/**
 * Logs an `endpoint.test` event and sends it to this endpoint only.
 * @param tenant the account and mode whose log gets the event
 * @returns the event's id
 * @throws WebhookError `endpoint_not_found`, `endpoint_paused`
 */
export async function sendTestEvent(
  deps: Pick<WebhookDependencies, 'db' | 'clock' | 'randomBytes' | 'wake'>,
  { tenant, accountId }: Tenant,
  id: string,
): Promise<string> {
  const endpoint = await requireEndpoint(deps.db, accountId, id);
  requireActive(endpoint);
  const now = deps.clock.now();
  const shown = {
    id,
    object: 'webhook_endpoint',
    url: endpoint.url,
    additional_events: endpoint.additional_events,
    status: endpoint.status,
    created: unixSeconds(endpoint.created_at),
  };
  const event = { id: newId('evt', now, deps.randomBytes), type: 'endpoint.test', created: now } as const;
  await deps.db.transaction(async (tx) => {
    const sequence = requireFound(await countTest(tx, accountId, id), id);
    const input: RowOf<typeof testInput> = {
      n: 0,
      tenant,
      id,
      ...eventInput({ ...event, sequence, object: JSON.stringify(shown) }),
    };
    await tx.query({
      name: 'write_test_event',
      text: testSql,
      values: [JSON.stringify([input])],
      scope: input,
    });
  });
  deps.wake(accountId);
  return event.id;
}
