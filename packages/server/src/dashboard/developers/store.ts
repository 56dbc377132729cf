import { hasMovedTime, idBound } from '../../accounts/sql.ts';
import { deliveryIdOf } from '../../events/events.ts';
import { idsFrom } from '../../lib/ids.ts';
import { capped, mostCounted, rowsWithin } from '../../store/capped.ts';
import { bigint, int, listOf, nullable, type RowOf, text, time, without } from '../../store/columns.ts';
import type { Queryable } from '../../store/database.ts';
import { Conditions, foundRows, type ListedRow, type ListedRows, matchingPageOf } from '../../store/list.ts';
import type { Tenant } from '../../store/tenant.ts';
import { computedOfDelivery, type DeliveryState, deliveryColumns } from '../../webhooks/delivery/reads.ts';

interface Place {
  readonly offset: number;
  readonly perPage: number;
}

interface Range {
  readonly from?: Date | undefined;
  /** Not included. */
  readonly to?: Date | undefined;
}

const lineColumns = {
  ...without(deliveryColumns, 'account_id', 'ended_at'),
  last_status: nullable(int),
  last_error: nullable(text),
  last_duration_ms: nullable(int),
  last_at: nullable(time),
} as const;

/** A delivery with its latest attempt that is still kept; nulls where there was none. */
export type DeliveryLine = RowOf<typeof lineColumns>;

const columns = listOf(lineColumns, 'd', {
  ...computedOfDelivery,
  last_status: 'a.answer_status',
  last_error: 'a.error',
  last_duration_ms: 'a.duration_ms',
  last_at: 'a.at',
});

const lastAttempt = `left join lateral (
  select answer_status, error, duration_ms, at from delivery_attempts
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
  /** Id of a payment of the tenant. */
  readonly payment?: string | undefined;
}

/** Those of the events of a payment, its refunds and disputes. A delivery's id follows from event and endpoint. */
function ofPayment(where: Conditions, { tenant }: Tenant, paymentId: string): string {
  const of = where.value(tenant);
  const payment = where.value(paymentId);
  const related = (table: string) =>
    `select id from ${table} where tenant = ${of} and payment_id = ${payment}`;
  return `d.id in (
    select ${deliveryIdOf('v.id', '$2::text')} from events v
    where v.tenant = ${of} and v.object_id in (
      select ${payment} union all ${related('refunds')} union all ${related('disputes')}))`;
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
  // Failed and parked ones have an index of their own.
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
  if (filter.payment !== undefined) where.conditions.push(ofPayment(where, tenant, filter.payment));
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

/** Where an event was sent to, endpoints that are gone included. */
export async function deliveriesOfEvent(
  db: Queryable,
  tenant: Tenant,
  eventId: string,
): Promise<(DeliveryLine & { readonly url: string; readonly deleted: boolean })[]> {
  // A delivery's id begins with the time of its event, so that each endpoint's part of the key is a narrow range.
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

/** How deliveries of events of a time and type stand. */
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

const eventColumns = {
  id: text,
  seq: bigint,
  type: text,
  object_id: text,
  sequence: int,
  created_at: time,
} as const;

export type EventLineRow = RowOf<typeof eventColumns>;

export interface EventLineFilter extends Range {
  readonly type?: string | undefined;
  /** Id of an event or of its object. */
  readonly search?: string | undefined;
}

/**
 * One page of the event log, newest first. Between two times it is a range of numbers, and so is its count: no list of
 * `store/list.ts` knows such a range.
 */
export async function eventPage(
  db: Queryable,
  tenant: Tenant,
  filter: EventLineFilter,
  { offset, perPage }: Place,
) {
  const where = new Conditions(['tenant = $1'], [tenant.tenant]);
  // Numbers are given at commit and ids before it, so among neighbours the last id need not have the greatest number.
  const lastBefore = (at: Date) =>
    `coalesce(case when ${hasMovedTime('$1')}
       then (select max(seq) from events where tenant = $1 and created_at < ${where.value(at)})
       else (select max(seq) from (select seq from events where tenant = $1
         and id < ${where.value(idsFrom('evt', at))} order by id desc limit 256) near) end, 0)`;
  const lastOfAll = `coalesce((select last from counters
    where tenant = $1 and list = 'events'), 0)`;
  const bounds = `select ${filter.from === undefined ? '0' : lastBefore(filter.from)}::bigint as first,
    ${filter.to === undefined ? lastOfAll : lastBefore(filter.to)}::bigint as last`;
  const isPlain = filter.type === undefined && filter.search === undefined;
  where.add((p) => `type = ${p}`, filter.type);
  where.add((p) => `(object_id = ${p} or id = ${p})`, filter.search);
  const skip = `${where.value(offset)}::bigint`;
  const take = `${where.value(isPlain ? perPage : rowsWithin(offset, perPage))}::bigint`;
  const matching = `from events where ${where.sql} and seq > b.first and seq <= b.last`;
  const rows = await db.query<ListedRow<EventLineRow>>({
    text: isPlain
      ? `select greatest(b.last - b.first, 0) as total, e.* from (${bounds}) b
         left join lateral (
           select ${listOf(eventColumns)} ${matching} and seq <= b.last - ${skip} and seq > b.last - ${skip} - ${take}) e on true
         order by e.seq desc`
      : `select t.total, e.* from (${bounds}) b
         cross join lateral (select count(*) as total from (select 1 ${matching} limit ${mostCounted + 1}) m) t
         left join lateral (
           select ${listOf(eventColumns)} ${matching} order by seq desc offset ${skip} limit ${take}) e on true
         order by e.seq desc`,
    values: where.values,
    scope: tenant,
  });
  const { rows: lines, total } = foundRows(rows);
  return { rows: lines, ...(isPlain ? { total, capped: false } : capped(total)) };
}
