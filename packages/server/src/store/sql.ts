import type { Cte, tenantColumns } from './columns.ts';

/**
 * `unnest` of the parameters from `$1` on, with these types. The parameters are in subqueries, because PostgreSQL replans a
 * statement each time if it sees the length of an array, which takes longer than running it.
 */
export const parameterRows = (...types: readonly string[]): string =>
  `unnest(${types.map((type, index) => `(select $${index + 1}::${type}[])`).join(', ')})`;

/** SQL for the number of the last row of a tenant's list, which is the count if the numbers are dense. `$1` is the tenant. */
export const lastNumber = (list: string): string =>
  `coalesce((select last from counters where tenant = $1 and list = ${list}), 0)`;

/** SQL for the counters `k` of all lists, joined with their tenants `t`. */
export const tenantsWithCounters = 'counters k join tenants t using (tenant)';

/** SQL for whether a tenant has any list. */
export const hasLists = (tenant: string): string =>
  `exists (select from counters k where k.tenant = ${tenant})`;

/**
 * CTEs that number new rows densely per tenant and list, so that the greatest number is the count and a page is
 * a range (docs/architecture.md, "Lists").
 * @param name the name of the resulting CTE, which has the rows of `source` with their `seq`
 * @param source has a column `n`, the order of the input
 */
export function numbered(
  name: string,
  list: string,
  { name: source }: Cte<'n' | keyof typeof tenantColumns>,
): string {
  return `${name}_counter as (
    insert into counters as c (tenant, list, last)
    select tenant, '${list}', count(*) from ${source} group by 1 order by 1
    on conflict (tenant, list) do update set last = c.last + excluded.last
    returning c.tenant, c.last
  ), ${name} as (
    select s.*, k.last - count(*) over (partition by s.tenant)
      + row_number() over (partition by s.tenant order by s.n) as seq
    from ${source} s join ${name}_counter k on k.tenant = s.tenant
  )`;
}
