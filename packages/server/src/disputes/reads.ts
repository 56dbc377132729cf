import type { DisputeListQuery } from '@till/contract';
import type { Database } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';
import type { DisputeRow } from './present.ts';
import { shownColumns, withPayment } from './store.ts';

type ListedRow = Partial<DisputeRow> & { total: number };

/** One page, newest first, with the number of all. */
export async function listDisputeRows(
  db: Database,
  tenant: Tenant,
  query: DisputeListQuery,
): Promise<{ rows: DisputeRow[]; total: number }> {
  const { page = 1, per_page: perPage = 20, ...filters } = query;
  const offset = (page - 1) * perPage;
  const rows =
    Object.keys(filters).length === 0
      ? await plainPage(db, tenant, offset, perPage)
      : await filteredPage(db, tenant, filters, offset, perPage);
  return {
    rows: rows.filter((row): row is DisputeRow & { total: number } => row.id != null),
    total: rows[0]?.total ?? 0,
  };
}

function plainPage(db: Database, tenant: Tenant, offset: number, perPage: number): Promise<ListedRow[]> {
  return db.query<ListedRow>({
    name: 'list_disputes',
    text: `select k.last as total, page.* from counters k
           left join lateral (
             select ${shownColumns}, d.seq from disputes d ${withPayment}
             where d.tenant = $1 and d.seq <= k.last - $2::bigint
               and d.seq > k.last - $2::bigint - $3::bigint) page on true
           where k.tenant = $1 and k.list = 'disputes' order by page.seq desc`,
    values: [tenant.tenant, offset, perPage],
    scope: tenant,
  });
}

function filteredPage(
  db: Database,
  tenant: Tenant,
  filters: Omit<DisputeListQuery, 'page' | 'per_page'>,
  offset: number,
  perPage: number,
): Promise<ListedRow[]> {
  const conditions = ['d.tenant = $1'];
  const values: unknown[] = [tenant.tenant];
  const where = (condition: (parameter: string) => string, value: unknown) => {
    if (value === undefined) return;
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  where((p) => `d.state = ${p}`, filters.state);
  where((p) => `d.status = ${p}`, filters.status);
  where((p) => `d.payment_id = ${p}`, filters.payment);
  where((p) => `d.created_at >= to_timestamp(${p})`, filters.created_gte);
  where((p) => `d.created_at < to_timestamp(${p})`, filters.created_lt);
  values.push(offset, perPage);
  const matching = (joined: string) => `from disputes d ${joined} where ${conditions.join(' and ')}`;
  return db.query<ListedRow>({
    text: `select t.total, page.* from (select count(*) as total ${matching('')}) t
           left join lateral (
             select ${shownColumns}, d.seq ${matching(withPayment)} order by d.seq desc
             offset $${values.length - 1} limit $${values.length}) page on true
           order by page.seq desc`,
    values,
    scope: tenant,
  });
}

/** The tenant of a payment that is known by its id only, for the operator. */
export async function locatePayment(
  db: Database,
  id: string,
): Promise<(Tenant & { readonly status: string; readonly amount: number }) | undefined> {
  const [row] = await db.query<Tenant & { status: string; amount: number }>({
    text: `select t.tenant, t.account_id as "accountId", t.livemode, p.status, p.amount from tenants t
           join payments p on p.tenant = t.tenant and p.id = $1`,
    values: [id],
    scope: 'everybody',
  });
  return row;
}

/** A dispute that is known by its id only, for the operator. */
export async function locateDispute(db: Database, id: string): Promise<(DisputeRow & Tenant) | undefined> {
  const [row] = await db.query<DisputeRow & Tenant>({
    text: `select t.account_id as "accountId", t.livemode, ${shownColumns} from tenants t
           join disputes d on d.tenant = t.tenant and d.id = $1 ${withPayment}`,
    values: [id],
    scope: 'everybody',
  });
  return row;
}
