import { ApiError, type EventListQuery, type EventType, eventDescriptions, eventTypes } from '@till/contract';
import { listAsText, type PagePlace, placeOfPage } from '../lib/list.ts';
import {
  type Cte,
  cte,
  int,
  type KeyColumn,
  keyColumns,
  listOf,
  nullable,
  type RowOf,
  text,
  time,
} from '../store/columns.ts';
import type { Database } from '../store/database.ts';
import { foundRows, type ListedRow, numberedPage } from '../store/list.ts';
import { lastNumber, numbered } from '../store/sql.ts';
import type { Tenant } from '../store/tenant.ts';

/** An event to be written in the commit that changes its object. */
export interface NewEvent {
  readonly id: string;
  readonly type: EventType;
  /** Counts the events of this object from 1. */
  readonly sequence: number;
  /** Account time. */
  readonly created: Date;
  /** The object's JSON text, exactly as retrieve shows it at this moment. */
  readonly object: string;
}

/**
 * SQL for the event as it is delivered, byte for byte the same whenever it is read: the table stores the object as text, and
 * the other parts as columns.
 * @param e alias of the event
 */
export const textOfEvent = (e: string): string =>
  `'{"id":"' || ${e}.id || '","object":"event","type":"' || ${e}.type
   || '","created":' || floor(extract(epoch from ${e}.created_at))::bigint
   || ',"livemode":' || (select t.livemode from tenants t where t.tenant = ${e}.tenant)
   || ',"sequence":' || ${e}.sequence || ',"data":{"object":' || ${e}.object || '}}'`;

/** SQL that joins an event as `e`. @param on `of`: alias of a row with the `tenant`; `id`: SQL for the event's id */
export const joinEvent = (e: string, on: { readonly of: string; readonly id: string }): string =>
  `join events ${e} on ${e}.tenant = ${on.of}.tenant and ${e}.id = ${on.id}`;

/** SQL for whether an event's object is the stored answer to the request that caused it. */
export const isAnswer = ({ tenant, id }: { readonly tenant: string; readonly id: string }): string =>
  `exists (select from events a where a.tenant = ${tenant} and a.id = ${id} and a.answer_status is not null)`;

/** Columns of a settling statement's input that hold its event. */
export const eventColumns = {
  event_id: nullable(text),
  event_type: nullable(text),
  event_sequence: nullable(int),
  event_object: nullable(text),
  event_at: nullable(time),
  event_answer: nullable(int),
} as const;

/**
 * The values of `eventColumns`; nulls if the change has no event.
 * @param answer HTTP status, if the event's object is the answer to a request; null: it is not
 */
export function eventInput(event: NewEvent | null, answer: number | null = null): RowOf<typeof eventColumns> {
  return {
    event_id: event?.id ?? null,
    event_type: event?.type ?? null,
    event_sequence: event?.sequence ?? null,
    event_object: event?.object ?? null,
    event_at: event?.created ?? null,
    event_answer: answer,
  };
}

/** Every endpoint gets these types; it gets the others only if it asks for additional events (decisions, "Shapes"). */
const deliveredAlways = eventTypes.filter((type) => eventDescriptions[type].goesTo === 'all');

/**
 * SQL for whether an endpoint gets events of a type. If it has a filter, the filter alone decides; without one the filter costs
 * no more than the check for null.
 * @param e alias of the endpoint @param type SQL of the type
 */
export const isWanted = (e: string, type: string): string =>
  `case when ${e}.event_types is null
    then ${e}.additional_events or ${type} in (${deliveredAlways.map((one) => `'${one}'`).join(', ')})
    else ${e}.event_types && array[${type}, split_part(${type}, '.', 1) || '.*'] end`;

/**
 * SQL for the id of a delivery: the time of its event, and a hash of event and endpoint. A statement has no randomness of its
 * own, and the hash is unique, since an event never has two deliveries to one endpoint.
 */
export const deliveryIdOf = (event: string, endpoint: string): string =>
  `'dlv_' || substr(${event}, 5, 8)
  || left(encode(sha256(convert_to(${event} || ${endpoint}, 'UTF8')), 'hex'), 16)`;

export const deliveryColumns = {
  account_id: text,
  endpoint_id: text,
  ...keyColumns,
  event_id: text,
  event_type: text,
  created_at: time,
} as const;

/** SQL that inserts deliveries which are due at once. The caller appends the `from` clause. @param from SQL for each column */
export const insertDeliveries = (from: Readonly<Record<keyof typeof deliveryColumns, string>>): string =>
  `insert into deliveries (${listOf(deliveryColumns)}, state) select ${listOf(deliveryColumns, undefined, from)}, 'pending'`;

const withEvent = cte('with_event', { n: int, ...keyColumns, ...eventColumns });

/**
 * CTEs that write the events of a CTE's rows, and for each event its deliveries to the account's endpoints. The CTE
 * `deliveries_in` returns the `event_id` of every delivery. Deliveries to a paused endpoint wait until it is resumed; a test
 * event goes only to the endpoint that it is about.
 */
export function insertEvents(source: Cte<'n' | KeyColumn | keyof typeof eventColumns>): string {
  return `${withEvent.name} as (select * from ${source.name} where event_id is not null),
    ${numbered('events_numbered', 'events', withEvent)},
    events_in as (
      insert into events (tenant, id, seq, type, object_id, sequence, object, answer_status, created_at)
      select tenant, event_id, seq, event_type, id, event_sequence, event_object, event_answer, event_at
      from events_numbered),
    deliveries_in as (
      ${insertDeliveries({
        account_id: 'e.account_id',
        endpoint_id: 'e.id',
        id: deliveryIdOf('w.event_id', 'e.id'),
        tenant: 'w.tenant',
        event_id: 'w.event_id',
        event_type: 'w.event_type',
        created_at: 'w.event_at',
      })}
      from ${withEvent.name} w join tenants t using (tenant) join webhook_endpoints e on e.account_id = t.account_id
      where e.deleted_at is null
        and case when w.event_type = 'endpoint.test' then e.id = w.id else ${isWanted('e', 'w.event_type')} end
      returning event_id)`;
}

/** The JSON text of one event. @throws ApiError `not_found` */
export async function retrieveEvent(db: Database, tenant: Tenant, id: string): Promise<string> {
  const [row] = /^evt_[a-z0-9]{24}$/.test(id)
    ? await db.query<{ body: string }>({
        name: 'retrieve_event',
        text: `select ${textOfEvent('e')} as body from events e where tenant = $1 and id = $2`,
        values: [tenant.tenant, id],
        scope: tenant,
      })
    : [];
  if (row === undefined) throw new ApiError('not_found', 'There is no event with this id.');
  return row.body;
}

/** Finds an event by its id alone, whatever account it belongs to. For the operator, who names no account. */
export async function locateEvent(
  db: Database,
  id: string,
): Promise<(Tenant & { readonly body: string }) | undefined> {
  if (!/^evt_[a-z0-9]{24}$/.test(id)) return undefined;
  const [row] = await db.query<Tenant & { body: string }>({
    text: `select t.tenant, t.account_id as "accountId", t.livemode, ${textOfEvent('e')} as body from tenants t
           join events e on e.tenant = t.tenant and e.id = $1`,
    values: [id],
    scope: 'everybody',
  });
  return row;
}

/** An event with its place in the account's log. */
export interface LoggedEvent {
  /** Counts the account's events of one mode from 1, in the order of their commits. */
  readonly seq: number;
  readonly type: string;
  /** The event as delivered. */
  readonly body: string;
}

/** The next events after a place in the log, in order. */
export async function eventsAfter(
  db: Database,
  tenant: Tenant,
  seq: number,
  max: number,
): Promise<LoggedEvent[]> {
  return db.query<LoggedEvent>({
    name: 'events_after',
    text: `select seq, type, ${textOfEvent('e')} as body from events e where tenant = $1 and seq > $2
           order by seq limit $3`,
    values: [tenant.tenant, seq, max],
    scope: tenant,
  });
}

/** The place in the log after which the events since a time follow. @param since null: the end of the log */
export async function placeInLog(db: Database, tenant: Tenant, since: Date | null): Promise<number> {
  const [row] = await db.query<{ seq: number }>({
    text: `select coalesce(
             (select min(seq) - 1 from events where tenant = $1 and created_at >= $2),
             ${lastNumber("'events'")}) as seq`,
    values: [tenant.tenant, since],
    scope: tenant,
  });
  return row?.seq ?? 0;
}

/** One page of events as text, newest first. */
export async function listEvents(db: Database, tenant: Tenant, query: EventListQuery): Promise<string> {
  const place = placeOfPage(query);
  const filtered =
    query.type !== undefined || query.created_gte !== undefined || query.created_lt !== undefined;
  const { rows, total } = filtered
    ? await filteredPage(db, tenant, query, place)
    : await plainPage(db, tenant, place);
  return listAsText(
    rows.map(({ body }) => body),
    total,
    place,
  );
}

interface EventText {
  readonly id: string;
  readonly body: string;
}

const listStatement = {
  name: 'list_events',
  generic: true,
  text: numberedPage({ list: 'events', table: 'events', columns: `id, seq, ${textOfEvent('r')} as body` }),
};

async function plainPage(db: Database, tenant: Tenant, { offset, perPage }: PagePlace) {
  return foundRows(
    await db.query<ListedRow<EventText>>({
      ...listStatement,
      values: [tenant.tenant, offset, perPage],
      scope: tenant,
    }),
  );
}

async function filteredPage(
  db: Database,
  tenant: Tenant,
  query: EventListQuery,
  { offset, perPage }: PagePlace,
) {
  // This reads the log once. The page and the count of store/list.ts would each scan it, since no index on time helps them.
  return foundRows(
    await db.query<ListedRow<EventText>>({
      text: `with matching as materialized (
               select seq, id from events where tenant = $1
                 and ($2::text is null or type = $2 or (right($2, 2) = '.*' and starts_with(type, left($2, -1))))
                 and ($3::bigint is null or created_at >= to_timestamp($3))
                 and ($4::bigint is null or created_at < to_timestamp($4)))
             select t.total, e.id, e.body from (select count(*) as total from matching) t
             left join lateral (
               select m.seq, e.id, ${textOfEvent('e')} as body from (select seq, id from matching order by seq desc offset $5 limit $6) m
               join events e on e.tenant = $1 and e.id = m.id) e on true
             order by e.seq desc`,
      values: [
        tenant.tenant,
        query.type ?? null,
        query.created_gte ?? null,
        query.created_lt ?? null,
        offset,
        perPage,
      ],
      scope: tenant,
    }),
  );
}
