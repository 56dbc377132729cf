import { listLimits } from '@till/contract/dashboard';
import { hasMovedTime } from '../../accounts/sql.ts';
import { isUnresolved } from '../../refunds/failed-refunds.ts';
import type { Database } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';
import type { CreatedRange, PaymentFilter } from './search/filter.ts';
import { isIndexed } from './search/filter.ts';
import { matching, orderOf, type Places } from './search/matching.ts';
import { Where } from './search/where.ts';

/** One page of what a filter matches: the ids in order. */
export interface FoundPayments {
  readonly ids: readonly string[];
  /** Counted up to `listLimits.countedRows`. */
  readonly total: number;
  readonly isExact: boolean;
  /** Older ones were not looked through; null: all were. */
  readonly searchedBackTo: Date | null;
}

/**
 * A page of the payments that match.
 * @param page `offset` rows stand before it; of what no index finds the newest `searchedRows` are looked through
 */
export async function findPayments(
  db: Database,
  tenant: Tenant,
  filter: PaymentFilter,
  {
    offset,
    limit,
    searchedRows = listLimits.searchedRows,
  }: { readonly offset: number; readonly limit: number; readonly searchedRows?: number },
): Promise<FoundPayments> {
  const whole = await placesOf(db, tenant, filter.created, 'payments');
  const places = isIndexed(filter)
    ? whole
    : { ...whole, low: Math.max(whole.low, whole.high - searchedRows) };
  const where = new Where(tenant);
  const { named, sql } = matching(where, filter, places, listLimits.countedRows + 1);
  const order = (alias = '') => orderOf(filter.sort, alias);
  const countNamed = named === '' ? '0' : '(select count(*) from named)';
  const rows = await db.query<{ id: string | null; total: number; named: number }>({
    text: `with ${named} found as materialized (
             select * from (${sql}) matched order by ${order()} limit ${where.value(listLimits.countedRows + 1)}),
           page as (
             select * from found order by ${order()} offset ${where.value(offset)} limit ${where.value(limit)})
           select (select count(*) from found) as total, ${countNamed} as named, p.id
           from (select 1) one
           left join (page join payments p on p.tenant = $1 and p.seq = page.seq) on true
           order by ${order('page.')}`,
    values: where.values,
    scope: tenant,
  });
  const { total = 0, named: customers = 0 } = rows[0] ?? {};
  const isCut = places.low > whole.low;
  return {
    ids: rows.flatMap(({ id }) => (id === null ? [] : [id])),
    total: Math.min(total, listLimits.countedRows),
    isExact: total <= listLimits.countedRows && !isCut && customers < listLimits.searchedCustomers,
    searchedBackTo: isCut && total <= listLimits.countedRows ? await timeAfter(db, tenant, places.low) : null,
  };
}

/** The ids of the next payments that match, by place, for an export. @param after the last place before; null: none */
export async function nextPayments(
  db: Database,
  tenant: Tenant,
  filter: PaymentFilter,
  places: Places,
  limit: number,
): Promise<{ readonly ids: readonly string[]; readonly last: number | null }> {
  const where = new Where(tenant);
  const { named, sql } = matching(where, filter, places, limit);
  const rows = await db.query<{ id: string; seq: number }>({
    text: `with ${named} found as materialized (
             select * from (${sql}) matched order by ${orderOf(filter.sort)} limit ${where.value(limit)})
           select p.id, p.seq from found join payments p
             on p.tenant = $1 and p.seq = found.seq
           order by ${orderOf(filter.sort, 'found.')}`,
    values: where.values,
    scope: tenant,
  });
  return { ids: rows.map(({ id }) => id), last: rows.at(-1)?.seq ?? null };
}

/** How many rows around the ends of a range of time are asked for their places. */
const neighbours = 500;
/** Requests that began within an hour of an end may have got their places in another order. */
const slackMs = 3_600_000;

const idAt = (prefix: string, moment: Date) =>
  `${prefix}_${Math.max(0, moment.getTime()).toString(36).padStart(8, '0')}`;

/**
 * The places among which everything of a range of time stands: ids sort by time, and places nearly so. The rows
 * themselves are still compared with the range. Where the sandbox clock was moved these are all places.
 */
export async function placesOf(
  db: Database,
  tenant: Tenant,
  { from, to }: CreatedRange,
  list: 'payments' | 'refunds',
): Promise<Places> {
  const prefix = { payments: 'pay', refunds: 're' }[list];
  const [row] = await db.query<{ moved: boolean; count: number; first: number | null; last: number | null }>({
    text: `select ${hasMovedTime('$1')} as moved,
             coalesce((select last from counters where tenant = $1 and list = $2), 0) as count,
             (select min(seq) from (
                select seq from ${list} where tenant = $1 and id >= $3
                order by id limit ${neighbours}) near) as first,
             (select max(seq) from (
                select seq from ${list} where tenant = $1 and id < $4
                order by id desc limit ${neighbours}) near) as last`,
    values: [
      tenant.tenant,
      list,
      from === null ? null : idAt(prefix, new Date(from.getTime() - slackMs)),
      to === null ? null : idAt(prefix, new Date(to.getTime() + slackMs)),
    ],
    scope: tenant,
  });
  const { moved = false, count = 0, first = null, last = null } = row ?? {};
  if (moved) return { low: 0, high: count };
  return {
    // Nothing so late: an empty range.
    low: from === null ? 0 : first === null ? count : first - 1,
    high: to === null ? count : (last ?? 0),
  };
}

async function timeAfter(db: Database, tenant: Tenant, place: number): Promise<Date | null> {
  const [row] = await db.query<{ created_at: Date }>({
    text: `select created_at from payments where tenant = $1 and seq > $2 order by seq limit 1`,
    values: [tenant.tenant, place],
    scope: tenant,
  });
  return row?.created_at ?? null;
}

/** What the list shows beside the payment itself. */
export interface PaymentExtras {
  readonly id: string;
  readonly customer_id: string | null;
  readonly customer_email: string | null;
  readonly customer_name: string | null;
  readonly refunded_amount: number;
  readonly refund_failed: boolean;
  readonly disputed: boolean;
}

/** In the order of the ids. */
export async function paymentExtras(
  db: Database,
  tenant: Tenant,
  ids: readonly string[],
): Promise<readonly PaymentExtras[]> {
  if (ids.length === 0) return [];
  return db.query<PaymentExtras>({
    name: 'dashboard_payment_extras',
    text: `select p.id, c.id as customer_id, c.email as customer_email, c.name as customer_name, p.refunded_amount,
             exists (select from refunds r where r.tenant = $1 and r.payment_id = p.id and ${isUnresolved('r')})
               as refund_failed,
             exists (select from disputes d where d.tenant = $1 and d.payment_id = p.id)
               as disputed
           from unnest($2::text[]) with ordinality as k (id, n)
           join payments p on p.tenant = $1 and p.id = k.id
           left join customers c on c.tenant = $1 and c.id = p.customer_id
           order by k.n`,
    values: [tenant.tenant, ids],
    scope: tenant,
  });
}
