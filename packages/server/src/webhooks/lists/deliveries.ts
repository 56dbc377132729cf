import { idBound } from '../../accounts/sql.ts';
import { deliveryIdOf } from '../../events/events.ts';
import { idsFrom } from '../../lib/ids.ts';
import { int, listOf, nullable, type RowOf, text, time, without } from '../../store/columns.ts';
import type { Queryable } from '../../store/database.ts';
import {
  Conditions,
  capped,
  foundRows,
  type ListedRow,
  type ListedRows,
  matchingPageOf,
} from '../../store/list.ts';
import type { Tenant } from '../../store/tenant.ts';
import { computedOfDelivery, type DeliveryState, deliveryColumns, nextAttemptOf } from '../delivery/reads.ts';

interface Place {
  readonly offset: number;
  readonly perPage: number;
}

interface Range {
  readonly from?: Date | undefined;
  /** Exclusive. */
  readonly to?: Date | undefined;
}

const lineColumns = {
  ...without(deliveryColumns, 'account_id', 'ended_at'),
  last_status: nullable(int),
  last_error: nullable(text),
  last_duration_ms: nullable(int),
  last_at: nullable(time),
} as const;

/** A delivery with its latest attempt that is still stored; the attempt's columns are null if there is none. */
export type DeliveryLine = RowOf<typeof lineColumns>;

const columns = listOf(lineColumns, 'd', {
  ...computedOfDelivery,
  last_status: 'a.answer_status',
  last_error: 'a.error',
  last_duration_ms: 'a.duration_ms',
  last_at: 'a.at',
});

const lastAttempt = `left join lateral (
  select answer_status, error, duration_ms, account_at as at from delivery_attempts
  where account_id = d.account_id and endpoint_id = d.endpoint_id and delivery_id = d.id
  order by number desc limit 1) a on true`;

const listed: ListedRows = {
  table: 'deliveries',
  alias: 'd',
  columns,
  order: ['id desc'],
  join: lastAttempt,
};

export interface DeliveryLineFilter extends Range {
  readonly state?: DeliveryState | undefined;
  readonly type?: string | undefined;
  readonly livemode?: boolean | undefined;
  /** SQL that selects the ids of the objects whose events the list is about. */
  readonly objects?: ((where: Conditions) => string) | undefined;
}

/** SQL condition for the deliveries of events of some objects. A delivery's id is derived from its event and endpoint. */
function ofObjects(where: Conditions, { tenant }: Tenant, objects: (where: Conditions) => string): string {
  return `d.id in (
    select ${deliveryIdOf('v.id', '$2::text')} from events v
    where v.tenant = ${where.value(tenant)} and v.object_id in (${objects(where)}))`;
}

/** One page of an endpoint's deliveries, newest event first. */
export async function deliveryPage(
  db: Queryable,
  tenant: Tenant,
  endpointId: string,
  filter: DeliveryLineFilter,
  { offset, perPage }: Place,
) {
  const { accountId } = tenant;
  const where = new Conditions(['d.account_id = $1', 'd.endpoint_id = $2'], [accountId, endpointId]);
  // The partial index of failed and parked deliveries is used only if this condition is repeated.
  where.add((p) => `d.state = ${p}`, filter.state);
  if (filter.state === 'failed' || filter.state === 'parked') {
    where.conditions.push(`d.state in ('failed', 'parked')`);
  }
  where.add((p) => `d.event_type = ${p}`, filter.type);
  where.add(
    (p) => `d.tenant in (select tenant from tenants where account_id = $1 and livemode = ${p})`,
    filter.livemode,
  );
  where.add((p) => `d.id >= ${idBound('dlv', p, 'first')}`, filter.from && idsFrom('dlv', filter.from));
  where.add((p) => `d.id < ${idBound('dlv', p, 'last')}`, filter.to && idsFrom('dlv', filter.to));
  where.add((p) => `d.created_at >= ${p}`, filter.from);
  where.add((p) => `d.created_at < ${p}`, filter.to);
  if (filter.objects !== undefined) where.require(ofObjects(where, tenant, filter.objects));
  const place = { offset, perPage, isCapped: true };
  const { rows, total } = foundRows(
    await db.query<ListedRow<DeliveryLine>>(matchingPageOf(tenant, listed, where, place)),
  );
  return { rows, ...capped(total) };
}

export async function findDeliveryLine(
  db: Queryable,
  accountId: string,
  endpointId: string,
  id: string,
): Promise<DeliveryLine | undefined> {
  const [row] = await db.query<DeliveryLine>({
    text: `select ${columns} from deliveries d ${lastAttempt}
           where d.account_id = $1 and d.endpoint_id = $2 and d.id = $3`,
    values: [accountId, endpointId, id],
    scope: { accountId },
  });
  return row;
}

/** The deliveries of an event, including those to deleted endpoints. */
export async function deliveriesOfEvent(
  db: Queryable,
  tenant: Tenant,
  eventId: string,
): Promise<(DeliveryLine & { readonly url: string; readonly deleted: boolean })[]> {
  // A delivery's id begins with the time of its event, so that only a narrow range of the key is read for each endpoint.
  return db.query({
    text: `select ${columns}, e.url, e.deleted_at is not null as deleted
           from webhook_endpoints e join deliveries d on d.account_id = e.account_id and d.endpoint_id = e.id
             and d.id between 'dlv_' || substr($3, 5, 8) and 'dlv_' || substr($3, 5, 8) || 'z'
           ${lastAttempt}
           where e.account_id = $1 and d.tenant = $2 and d.event_id = $3 order by d.endpoint_id`,
    values: [tenant.accountId, tenant.tenant, eventId],
    scope: tenant,
  });
}

export interface RecoveryRow {
  readonly failed: number;
  readonly waiting: number;
  readonly retrying: number;
}

/** Counts the deliveries of events of a time range and type by their state. */
export async function recoveryState(
  db: Queryable,
  accountId: string,
  endpointId: string,
  {
    since,
    until,
    type,
  }: { readonly since: Date; readonly until?: Date | undefined; readonly type?: string | undefined },
): Promise<RecoveryRow> {
  const matching = `created_at >= $4 and id >= ${idBound('dlv', '$3', 'first')}
    and ($5::timestamptz is null or created_at < $5) and ($6::text is null or event_type = $6)`;
  const [row] = await db.query<RecoveryRow>({
    text: `select count(*) filter (where state <> 'pending') as failed,
             count(*) filter (where state = 'pending' and attempts = 0) as waiting,
             count(*) filter (where state = 'pending' and attempts > 0) as retrying
           from (
             select state, attempts from deliveries
             where account_id = $1 and endpoint_id = $2 and ${matching} and state in ('failed', 'parked')
             union all
             select state, attempts from deliveries
             where account_id = $1 and endpoint_id = $2 and ${matching} and state = 'pending') d`,
    values: [accountId, endpointId, idsFrom('dlv', since), since, until ?? null, type ?? null],
    scope: { accountId },
  });
  return row ?? { failed: 0, waiting: 0, retrying: 0 };
}

export interface EventDeliveryRow {
  readonly id: string;
  readonly endpoint_id: string;
  readonly name: string | null;
  readonly url: string;
  readonly event_id: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly next_attempt_at: Date | null;
}

/** The deliveries of several events. */
export function deliveriesOf(
  db: Queryable,
  tenant: Tenant,
  events: readonly string[],
): Promise<EventDeliveryRow[]> {
  // A delivery's id begins with the time of its event, so that only a narrow range of the key is read for each endpoint.
  return db.query<EventDeliveryRow>({
    name: 'dashboard_deliveries_of',
    // Every role sees this address, and what follows the host may be secret.
    text: `select d.id, d.endpoint_id, e.name, substring(e.url from '^[A-Za-z]+://[^/?#]+') as url, d.event_id, d.state, d.attempts,
             ${nextAttemptOf('d')} as next_attempt_at
           from unnest($3::text[]) as v (id)
           join webhook_endpoints e on e.account_id = $1
           join deliveries d on d.account_id = $1 and d.endpoint_id = e.id and d.tenant = $2 and d.event_id = v.id
             and d.id between 'dlv_' || substr(v.id, 5, 8) and 'dlv_' || substr(v.id, 5, 8) || 'z'
           order by e.id`,
    values: [tenant.accountId, tenant.tenant, events],
    scope: tenant,
  });
}

export interface EndpointState {
  readonly id: string;
  readonly name: string | null;
  readonly url: string;
  readonly status: 'active' | 'paused';
  readonly pending: number;
  readonly oldest_pending_at: Date | null;
}

/** The account's endpoints, each with its pending deliveries of one mode, which are counted up to 10,000. */
export async function endpointStates(db: Queryable, tenant: Tenant): Promise<EndpointState[]> {
  return db.query<EndpointState>({
    name: 'figures_endpoint_states',
    text: `select e.id, e.name, e.url, e.status, w.pending, w.oldest_pending_at from webhook_endpoints e
           cross join lateral (
             select count(*) as pending, min(created_at) as oldest_pending_at from (
               select d.created_at from deliveries d
               where d.account_id = $1 and d.endpoint_id = e.id and d.state = 'pending' and d.tenant = $2
               order by d.next_attempt_at, d.id limit 10000) waiting) w
           where e.account_id = $1 and e.deleted_at is null order by e.id`,
    values: [tenant.accountId, tenant.tenant],
    scope: tenant,
  });
}
