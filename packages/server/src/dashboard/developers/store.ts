import { idsFrom } from '../../lib/ids.ts';
import { capped, mostCounted, rowsWithin } from '../../store/capped.ts';
import type { Queryable } from '../../store/database.ts';
import { Conditions, foundRows, type ListedRow } from '../../store/list.ts';
import type { Tenant } from '../../store/tenant.ts';
import type { DeliveryRow, DeliveryState } from '../../webhooks/delivery/reads.ts';
import { hasMovedTime, idBound } from '../moved-clock.ts';

interface Place {
  readonly offset: number;
  readonly perPage: number;
}

interface Range {
  readonly from?: Date | undefined;
  /** Not included. */
  readonly to?: Date | undefined;
}

/** A delivery with its latest attempt that is still kept; nulls where there was none. */
export interface DeliveryLine extends Omit<DeliveryRow, 'account_id' | 'ended_at'> {
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly last_duration_ms: number | null;
  readonly last_at: Date | null;
}

const lineColumns = `d.endpoint_id, d.id, d.tenant, (select livemode from tenants where tenant = d.tenant) as livemode, d.event_id, d.event_type, d.state, d.attempts,
  case when d.state = 'pending' and isfinite(d.next_attempt_at) then d.next_attempt_at end as next_attempt_at,
  d.created_at, a.answer_status as last_status, a.error as last_error, a.duration_ms as last_duration_ms,
  a.at as last_at`;

const lastAttempt = `left join lateral (
  select answer_status, error, duration_ms, at from delivery_attempts
  where account_id = d.account_id and endpoint_id = d.endpoint_id and delivery_id = d.id
  order by number desc limit 1) a on true`;

export interface DeliveryLineFilter extends Range {
  readonly state?: DeliveryState | undefined;
  readonly type?: string | undefined;
  readonly livemode?: boolean | undefined;
}

/** One page of an endpoint's deliveries, newest event first. */
export async function deliveryPage(
  db: Queryable,
  accountId: string,
  endpointId: string,
  filter: DeliveryLineFilter,
  { offset, perPage }: Place,
) {
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
  const matching = `from deliveries d where ${where.sql}`;
  const rows = await db.query<ListedRow<DeliveryLine>>({
    text: `select t.total, page.* from (
             select count(*) as total from (select 1 ${matching} limit ${where.value(mostCounted + 1)}) m) t
           left join lateral (
             select ${lineColumns} from (
               select * ${matching} order by d.id desc
               offset ${where.value(offset)} limit ${where.value(rowsWithin(offset, perPage))}) d
             ${lastAttempt}) page on true
           order by page.id desc`,
    values: where.values,
    scope: { accountId },
  });
  const { rows: lines, total } = foundRows(rows);
  return { rows: lines, ...capped(total) };
}

export async function findDeliveryLine(
  db: Queryable,
  accountId: string,
  endpointId: string,
  id: string,
): Promise<DeliveryLine | undefined> {
  const [row] = await db.query<DeliveryLine>({
    text: `select ${lineColumns} from deliveries d ${lastAttempt}
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
    text: `select ${lineColumns}, e.url, e.deleted_at is not null as deleted
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

/** How deliveries of events since a time stand. */
export async function recoveryState(
  db: Queryable,
  accountId: string,
  endpointId: string,
  since: Date,
): Promise<RecoveryRow> {
  const [row] = await db.query<RecoveryRow>({
    text: `select count(*) filter (where state <> 'pending') as failed,
             count(*) filter (where state = 'pending' and attempts = 0) as waiting,
             count(*) filter (where state = 'pending' and attempts > 0) as retrying
           from (
             select state, attempts from deliveries
             where account_id = $1 and endpoint_id = $2 and state in ('failed', 'parked') and created_at >= $4
               and id >= ${idBound('dlv', '$3', 'first')}
             union all
             select state, attempts from deliveries
             where account_id = $1 and endpoint_id = $2 and state = 'pending' and created_at >= $4
               and id >= ${idBound('dlv', '$3', 'first')}) d`,
    values: [accountId, endpointId, idsFrom('dlv', since), since],
    scope: { accountId },
  });
  return row ?? { failed: 0, waiting: 0, retrying: 0 };
}

export interface EventLineRow {
  readonly id: string;
  readonly seq: number;
  readonly type: string;
  readonly object_id: string;
  readonly sequence: number;
  readonly created_at: Date;
}

export interface EventLineFilter extends Range {
  readonly type?: string | undefined;
  /** Id of an event or of its object. */
  readonly search?: string | undefined;
}

const eventColumns = 'id, seq, type, object_id, sequence, created_at';

/** One page of the event log, newest first. Between two times it is a range of numbers, and so is its count. */
export async function eventPage(
  db: Queryable,
  tenant: Tenant,
  filter: EventLineFilter,
  { offset, perPage }: Place,
) {
  const where = new Conditions(['tenant = $1'], [tenant.tenant]);
  // Numbers are given at commit and ids before it, so among neighbours the last id need not have the greatest number.
  const lastBefore = (time: Date) =>
    `coalesce(case when ${hasMovedTime('$1')}
       then (select max(seq) from events where tenant = $1 and created_at < ${where.value(time)})
       else (select max(seq) from (select seq from events where tenant = $1
         and id < ${where.value(idsFrom('evt', time))} order by id desc limit 256) near) end, 0)`;
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
           select ${eventColumns} ${matching} and seq <= b.last - ${skip} and seq > b.last - ${skip} - ${take}) e on true
         order by e.seq desc`
      : `select t.total, e.* from (${bounds}) b
         cross join lateral (select count(*) as total from (select 1 ${matching} limit ${mostCounted + 1}) m) t
         left join lateral (
           select ${eventColumns} ${matching} order by seq desc offset ${skip} limit ${take}) e on true
         order by e.seq desc`,
    values: where.values,
    scope: tenant,
  });
  const { rows: lines, total } = foundRows(rows);
  return { rows: lines, ...(isPlain ? { total, capped: false } : capped(total)) };
}
