import type { DisputeListQuery } from '@till/contract';
import { placeOfPage } from '../lib/list.ts';
import { listOf, type RowOf } from '../store/columns.ts';
import type { Database, Queryable } from '../store/database.ts';
import { Conditions, type NumberedRows } from '../store/list.ts';
import { numberedList } from '../store/numbered-list.ts';
import type { Tenant } from '../store/tenant.ts';
import { submissionColumns } from './evidence.ts';
import type { DisputeRow } from './present.ts';
import { shownColumns, withPayment } from './store.ts';

/** The list of disputes, newest first. */
export const listed: NumberedRows = {
  list: 'disputes',
  table: 'disputes',
  alias: 'd',
  columns: `${shownColumns}, d.seq`,
  join: withPayment,
};
const readList = numberedList<DisputeRow>({ name: 'list_disputes', ...listed });

/** One page of disputes, newest first, and their total number. */
export async function listDisputeRows(
  db: Database,
  tenant: Tenant,
  query: DisputeListQuery,
): Promise<{ rows: readonly DisputeRow[]; total: number }> {
  const { page, per_page, ...filters } = query;
  const where = Object.keys(filters).length === 0 ? null : matching(tenant, filters);
  return readList(db, tenant, placeOfPage({ page, per_page }), where);
}

function matching(tenant: Tenant, filters: Omit<DisputeListQuery, 'page' | 'per_page'>): Conditions {
  const where = new Conditions(['d.tenant = $1'], [tenant.tenant]);
  where.add((p) => `d.state = ${p}`, filters.state);
  where.add((p) => `d.status = ${p}`, filters.status);
  where.add((p) => `d.payment_id = ${p}`, filters.payment);
  where.add((p) => `d.created_at >= to_timestamp(${p})`, filters.created_gte);
  where.add((p) => `d.created_at < to_timestamp(${p})`, filters.created_lt);
  return where;
}

/** Finds a dispute of any tenant by its id alone, for the operator. */
export async function findDisputeOfAnyTenant(
  db: Database,
  id: string,
): Promise<(DisputeRow & Tenant) | undefined> {
  const [row] = await db.query<DisputeRow & Tenant>({
    text: `select t.account_id as "accountId", t.livemode, ${shownColumns} from tenants t
           join disputes d on d.tenant = t.tenant and d.id = $1 ${withPayment}`,
    values: [id],
    scope: 'everybody',
  });
  return row;
}

/** The subset of some payments that have a dispute. */
export async function disputedAmong(
  db: Queryable,
  tenant: Tenant,
  payments: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ payment: string }>({
    name: 'disputed_among_payments',
    text: `select distinct payment_id as payment from disputes where tenant = $1 and payment_id = any ($2)`,
    values: [tenant.tenant, payments],
    scope: tenant,
  });
  return new Set(rows.map(({ payment }) => payment));
}

export type SubmissionRow = RowOf<typeof submissionColumns>;

/** The evidence submitted for a dispute, newest first. */
export async function submissionsOf(db: Queryable, tenant: Tenant, id: string): Promise<SubmissionRow[]> {
  return db.query<SubmissionRow>({
    text: `select ${listOf(submissionColumns)} from dispute_evidence
           where tenant = $1 and dispute_id = $2 order by attempt desc`,
    values: [tenant.tenant, id],
    scope: tenant,
  });
}

/** Ids of the newest 100 disputes of some payments. */
export async function disputesOfPayments(
  db: Database,
  tenant: Tenant,
  payments: readonly string[],
): Promise<readonly string[]> {
  const rows = await db.query<{ id: string }>({
    name: 'dashboard_disputes_of_payments',
    text: `select id from disputes where tenant = $1 and payment_id = any($2)
           order by seq desc limit 100`,
    values: [tenant.tenant, payments],
    scope: tenant,
  });
  return rows.map(({ id }) => id);
}

/** Ids of a customer's newest 100 disputes. */
export async function disputesOfCustomer(
  db: Database,
  tenant: Tenant,
  customerId: string,
): Promise<readonly string[]> {
  const rows = await db.query<{ id: string }>({
    name: 'dashboard_disputes_of_customer',
    text: `select id from disputes where tenant = $1 and customer_id = $2
           order by seq desc limit 100`,
    values: [tenant.tenant, customerId],
    scope: tenant,
  });
  return rows.map(({ id }) => id);
}
