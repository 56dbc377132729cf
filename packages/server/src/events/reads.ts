import { idsFrom } from '../lib/ids.ts';
import { bigint, int, listOf, type RowOf, text, time } from '../store/columns.ts';
import type { Queryable } from '../store/database.ts';
import { Conditions, capped, foundRows, type ListedRow, maxCounted, rowsWithin } from '../store/list.ts';
import { lastNumber } from '../store/sql.ts';
import type { Tenant } from '../store/tenant.ts';
import { textOfEvent } from './events.ts';

interface Place {
  readonly offset: number;
  readonly perPage: number;
  /** SQL for whether the clock of tenant `$1` was moved ahead. Then the order of ids differs from the order of times. */
  readonly hasMovedTime: string;
}

interface Range {
  readonly from?: Date | undefined;
  /** Not included. */
  readonly to?: Date | undefined;
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
 * One page of the event log, newest first. A range of times becomes a range of event numbers, which also gives the count. The
 * lists of `store/list.ts` have no such ranges.
 */
export async function eventPage(
  db: Queryable,
  tenant: Tenant,
  filter: EventLineFilter,
  { offset, perPage, hasMovedTime }: Place,
) {
  const where = new Conditions(['tenant = $1'], [tenant.tenant]);
  // An event gets its number at commit, but its id when its request begins. So among neighbouring events the last id need not
  // have the greatest number, and an earlier id may belong to a later time.
  const lastBefore = (at: Date) => {
    const moment = where.value(at);
    return `coalesce(case when ${hasMovedTime}
       then (select max(seq) from events where tenant = $1 and created_at < ${moment})
       else (select max(seq) from (select seq from events where tenant = $1 and created_at < ${moment}
         and id < ${where.value(idsFrom('evt', at))} order by id desc limit 1024) near) end, 0)`;
  };
  const lastOfAll = lastNumber("'events'");
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
         cross join lateral (select count(*) as total from (select 1 ${matching} limit ${maxCounted + 1}) m) t
         left join lateral (
           select ${listOf(eventColumns)} ${matching} order by seq desc offset ${skip} limit ${take}) e on true
         order by e.seq desc`,
    values: where.values,
    scope: tenant,
  });
  const { rows: lines, total } = foundRows(rows);
  return { rows: lines, ...(isPlain ? { total, capped: false } : capped(total)) };
}

export interface EventRow {
  readonly id: string;
  readonly object_id: string;
  readonly type: string;
  readonly created_at: Date;
}

/** The events of some objects, in the order of their commits. */
export function eventsOf(db: Queryable, tenant: Tenant, objects: readonly string[]): Promise<EventRow[]> {
  return db.query<EventRow>({
    name: 'dashboard_events_of',
    text: `select id, object_id, type, created_at from events
           where tenant = $1 and object_id = any($2) order by seq limit 500`,
    values: [tenant.tenant, objects],
    scope: tenant,
  });
}

export interface DisputeEventRow {
  readonly id: string;
  readonly type: string;
  /** Account time. */
  readonly created_at: Date;
  /** The event as delivered. */
  readonly body: string;
}

/** Every event of a dispute, first to last. */
export async function eventsOfDispute(db: Queryable, tenant: Tenant, id: string): Promise<DisputeEventRow[]> {
  return db.query<DisputeEventRow>({
    text: `select id, type, created_at, ${textOfEvent('e')} as body from events e
           where tenant = $1 and object_id = $2 order by sequence`,
    values: [tenant.tenant, id],
    scope: tenant,
  });
}

/** SQL for the events after number `first`, up to and including number `last`. `$1` is the tenant. */
export const eventsNumbered = (first: string, last: string): string =>
  `select object_id, type, sequence from events where tenant = $1 and seq > ${first} and seq <= ${last}`;

/** SQL that joins the previous event of the same object, as `e`. @param of alias of a row with `object_id` and `sequence` */
export const joinEventBefore = (of: string): string =>
  `join events e on e.tenant = $1 and e.object_id = ${of}.object_id and e.sequence = ${of}.sequence - 1`;
