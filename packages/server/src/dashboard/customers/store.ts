import type { Database } from '../../store/database.ts';
import { foundRows, type ListedRow, numberedPage } from '../../store/list.ts';
import type { Tenant } from '../../store/tenant.ts';
import { customersMatching } from '../payments/search/matching.ts';
import type { SearchWords } from '../payments/search/search-words.ts';
import { Where } from '../payments/search/where.ts';

/** How many customers each kind of match of a search finds at most. */
const mostFound = 1000;

interface Page {
  readonly offset: number;
  readonly limit: number;
}

const pageStatement = {
  name: 'dashboard_customers_page',
  text: numberedPage({
    list: 'customers',
    table: 'customers',
    columns: 'id, seq',
    hidden: { where: 'discarded_at is not null', shown: 'discarded_at is null' },
  }),
};

/** A page of all customers, newest first. */
export async function pageOfCustomers(
  db: Database,
  tenant: Tenant,
  { offset, limit }: Page,
): Promise<{ ids: readonly string[]; total: number; isExact: boolean }> {
  const { rows, total } = foundRows(
    await db.query<ListedRow<{ id: string }>>({
      ...pageStatement,
      values: [tenant.tenant, offset, limit],
      scope: tenant,
    }),
  );
  return { ids: rows.map(({ id }) => id), total, isExact: true };
}

/** A page of the customers that a search names, newest first, each kind of match up to a limit. */
export async function findCustomers(
  db: Database,
  tenant: Tenant,
  search: SearchWords,
  { offset, limit }: Page,
): Promise<{ ids: readonly string[]; total: number; isExact: boolean }> {
  const where = new Where(tenant);
  const matching = matchingIds(where, search);
  const rows = await db.query<{ id: string | null; total: number; seq: number }>({
    text: `with found as materialized (${matching}),
           page as (
             select c.id, c.seq from found join customers c on c.tenant = $1 and c.id = found.id
               and c.discarded_at is null
             order by c.seq desc offset ${where.value(offset)} limit ${where.value(limit)})
           select (select count(*) from found) as total, page.id from (select 1) one left join page on true
           order by page.seq desc`,
    values: where.values,
    scope: tenant,
  });
  const total = rows[0]?.total ?? 0;
  return { ids: rows.flatMap(({ id }) => (id === null ? [] : [id])), total, isExact: total < mostFound };
}

function matchingIds(where: Where, search: SearchWords): string {
  switch (search.kind) {
    case 'text':
      return customersMatching(where, search.text, mostFound);
    case 'id':
      return idOfCustomer(search.of, where.value(search.id));
    case 'last4':
      return `select distinct customer_id as id from payment_methods
        where tenant = $1 and removed_at is null and last4 = ${where.value(search.last4)}
        limit ${where.value(mostFound)}`;
  }
}

/** SQL of the customer that an id of something of theirs leads to. */
function idOfCustomer(of: Extract<SearchWords, { kind: 'id' }>['of'], id: string): string {
  switch (of) {
    case 'customer':
      return `select id from customers where tenant = $1 and id = ${id}`;
    case 'payment':
      return `select customer_id as id from payments where tenant = $1 and id = ${id}`;
    case 'dispute':
      return `select customer_id as id from disputes where tenant = $1 and id = ${id}`;
    case 'method':
      return `select customer_id as id from payment_methods where tenant = $1 and id = ${id}`;
    case 'refund':
      return `select p.customer_id as id from refunds r
        join payments p on p.tenant = $1 and p.id = r.payment_id
        where r.tenant = $1 and r.id = ${id}`;
  }
}

export interface CustomerCounts {
  readonly id: string;
  /** Up to 100. */
  readonly payments: number;
  /** Up to 100. */
  readonly saved_methods: number;
}

/** How many payments and saved methods some customers have. */
export async function countsOf(
  db: Database,
  tenant: Tenant,
  ids: readonly string[],
): Promise<ReadonlyMap<string, CustomerCounts>> {
  const rows = await db.query<CustomerCounts>({
    name: 'dashboard_customer_counts',
    text: `select k.id,
             (select count(*) from (
                select 1 from payments p where p.tenant = $1 and p.customer_id = k.id
                  and p.status <> 'processing' limit 100) first) as payments,
             (select count(*) from (
                select 1 from payment_methods m where m.tenant = $1 and m.customer_id = k.id
                  and m.removed_at is null limit 100) first) as saved_methods
           from unnest($2::text[]) as k (id)`,
    values: [tenant.tenant, ids],
    scope: tenant,
  });
  return new Map(rows.map((row) => [row.id, row]));
}

/** Ids of a customer's disputes, newest first. */
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
