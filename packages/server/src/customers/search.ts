import type { Database } from '../store/database.ts';
import { Conditions, hasValue } from '../store/list.ts';
import { numberedList } from '../store/numbered-list.ts';
import type { Tenant } from '../store/tenant.ts';
import type { SearchText } from './search-words.ts';
import { discardedCustomers } from './store.ts';

/** How many customers each kind of match finds at most. */
export const maxFound = 1000;

interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** Ids of customers in order, with the total number. */
export interface FoundCustomers {
  readonly ids: readonly string[];
  readonly total: number;
  readonly isExact: boolean;
}

/** SQL for the customer with an id. `$1` is the tenant. */
export const customerById = (id: string): string =>
  `select id from customers where tenant = $1 and id = ${id}`;

/** SQL that joins a customer, as `c`. @param id SQL for the customer's id; `$1` is the tenant */
export const joinCustomer = (id: string): string => `join customers c on c.tenant = $1 and c.id = ${id}`;

/** SQL for the ids of customers whose e-mail address, name or external id begins with the text, or whose metadata has it. */
export function customersMatching(
  where: Conditions,
  { exact, spellings, folded }: SearchText,
  max: number,
): string {
  const limit = where.value(max);
  const word = where.value(exact);
  const lastName = String.raw`(lower(regexp_replace(name, '^.*\s', '')) collate "C")`;
  const conditions = [
    where.begins('email_folded', folded),
    `name is not null and ${where.begins('(lower(name) collate "C")', folded)}`,
    `name is not null and ${where.begins(lastName, folded)}`,
    ...spellings.map((spelling) => where.begins('external_id', spelling)),
    `metadata::text <> '{}' and ${hasValue('metadata', word)}`,
  ];
  return conditions
    .map((condition) => `(select id from customers where tenant = $1 and ${condition} limit ${limit})`)
    .join('\nunion ');
}

const readList = numberedList<{ id: string }>({
  name: 'dashboard_customers_page',
  list: 'customers',
  table: 'customers',
  columns: 'id, seq',
  hidden: discardedCustomers,
});

/** A page of all customers, newest first. */
export async function pageOfCustomers(
  db: Database,
  tenant: Tenant,
  { offset, limit }: Page,
): Promise<FoundCustomers> {
  const { rows, total } = await readList(db, tenant, { offset, perPage: limit }, null);
  return { ids: rows.map(({ id }) => id), total, isExact: true };
}

/**
 * A page of the customers that a search finds, newest first.
 * @param matching returns SQL for their ids, at most `maxFound` for each kind of match; `$1` is the tenant
 */
export async function findCustomers(
  db: Database,
  tenant: Tenant,
  matching: (where: Conditions) => string,
  { offset, limit }: Page,
): Promise<FoundCustomers> {
  const where = new Conditions([], [tenant.tenant]);
  const rows = await db.query<{ id: string | null; total: number; seq: number }>({
    text: `with found as materialized (${matching(where)}),
           page as (
             select c.id, c.seq from found ${joinCustomer('found.id')} and c.discarded_at is null
             where c.tenant = $1
             order by c.seq desc offset ${where.value(offset)} limit ${where.value(limit)})
           select (select count(*) from found) as total, page.id from (select 1) one left join page on true
           order by page.seq desc`,
    values: where.values,
    scope: tenant,
  });
  const total = rows[0]?.total ?? 0;
  return { ids: rows.flatMap(({ id }) => (id === null ? [] : [id])), total, isExact: total < maxFound };
}
