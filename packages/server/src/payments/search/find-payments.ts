import { listLimits } from '@till/contract/dashboard';
import type { Database } from '../../store/database.ts';
import { Conditions } from '../../store/list.ts';
import type { Tenant } from '../../store/tenant.ts';
import { isIndexed } from './filter.ts';
import { matching, orderOf, type PaymentView, searchedFrom } from './matching.ts';
import { type Places, placesOf, timeAfter } from './places.ts';

/** One page of the payments that match a filter: their ids in order. */
export interface FoundPayments {
  readonly ids: readonly string[];
  /** Counted up to `listLimits.countedRows`. */
  readonly total: number;
  readonly isExact: boolean;
  /** Payments from before this time were not searched; null: all were. */
  readonly searchedBackTo: Date | null;
}

/** The range of places that contains a view's range of time. */
export const placesOfView = (db: Database, tenant: Tenant, { filter }: PaymentView): Promise<Places> =>
  placesOf(db, tenant, filter.created, { table: 'payments', prefix: 'pay' });

/**
 * Finds a page of the payments that match.
 * @param page `offset`: how many rows come before it; `searchedRows`: how many of the newest rows are scanned if no index helps
 */
export async function findPayments(
  db: Database,
  tenant: Tenant,
  view: PaymentView,
  {
    offset,
    limit,
    searchedRows = listLimits.searchedRows,
  }: { readonly offset: number; readonly limit: number; readonly searchedRows?: number },
): Promise<FoundPayments> {
  const whole = await placesOfView(db, tenant, view);
  const places = isIndexed(view.filter)
    ? whole
    : { ...whole, low: Math.max(whole.low, whole.high - searchedRows) };
  const where = new Conditions(['p.tenant = $1'], [tenant.tenant]);
  const { named, sql } = matching(where, view, places, listLimits.countedRows + 1);
  const order = (alias = '') => orderOf(view.filter.sort, alias);
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
  const searched = searchedFrom(view.filter.search, places);
  const isCut = searched > whole.low;
  return {
    ids: rows.flatMap(({ id }) => (id === null ? [] : [id])),
    total: Math.min(total, listLimits.countedRows),
    isExact: total <= listLimits.countedRows && !isCut && customers < listLimits.searchedCustomers,
    searchedBackTo:
      isCut && total <= listLimits.countedRows ? await timeAfter(db, tenant, 'payments', searched) : null,
  };
}

/** The ids of the next matching payments in a range of places, for an export, with the place of the last one; null: none. */
export async function nextPayments(
  db: Database,
  tenant: Tenant,
  view: PaymentView,
  places: Places,
  limit: number,
): Promise<{ readonly ids: readonly string[]; readonly last: number | null }> {
  const where = new Conditions(['p.tenant = $1'], [tenant.tenant]);
  const { named, sql } = matching(where, view, places, limit);
  const { sort } = view.filter;
  const rows = await db.query<{ id: string; seq: number }>({
    text: `with ${named} found as materialized (
             select * from (${sql}) matched order by ${orderOf(sort)} limit ${where.value(limit)})
           select p.id, p.seq from found join payments p
             on p.tenant = $1 and p.seq = found.seq
           order by ${orderOf(sort, 'found.')}`,
    values: where.values,
    scope: tenant,
  });
  return { ids: rows.map(({ id }) => id), last: rows.at(-1)?.seq ?? null };
}
