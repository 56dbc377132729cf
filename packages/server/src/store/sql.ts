import type { Cte, tenantColumns } from './columns.ts';

/**
 * `unnest` of the parameters from `$1` on, of these types. In subqueries: where PostgreSQL sees how long an array is, it
 * plans the statement anew each time, which takes longer than to run it.
 */
export const parameterRows = (...types: readonly string[]): string =>
  `unnest(${types.map((type, index) => `(select $${index + 1}::${type}[])`).join(', ')})`;

/** SQL of the number of the last row of a tenant's list, which is the count of what has dense numbers. `$1` is the tenant. */
export const lastNumber = (list: string): string =>
  `coalesce((select last from counters where tenant = $1 and list = ${list}), 0)`;

/** SQL of the counters `k` of all lists, with the tenants `t` that they are of. */
export const tenantsWithCounters = 'counters k join tenants t using (tenant)';

/** SQL for whether a tenant has any list. */
export const hasLists = (tenant: string): string =>
  `exists (select from counters k where k.tenant = ${tenant})`;

/**
 * CTEs that number new rows densely per tenant and list, so that the greatest number is the count and a page is
 * a range (docs/architecture.md, "Lists").
 * @param name of the resulting CTE: the rows of `source` with their `seq`
 * @param source with the order of the input, `n`
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
