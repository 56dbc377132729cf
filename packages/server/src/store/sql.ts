import type { Cte, tenantColumns } from './columns.ts';

/**
 * `unnest` of the parameters from `$1` on, of these types. In subqueries: where PostgreSQL sees how long an array is, it
 * plans the statement anew each time, which takes longer than to run it.
 */
export const parameterRows = (...types: readonly string[]): string =>
  `unnest(${types.map((type, index) => `(select $${index + 1}::${type}[])`).join(', ')})`;

/**
 * CTEs that number new rows densely per account, mode and list, so that the greatest number is the count and a page is
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
    insert into counters as c (account_id, livemode, list, last)
    select account_id, livemode, '${list}', count(*) from ${source} group by 1, 2 order by 1, 2
    on conflict (account_id, livemode, list) do update set last = c.last + excluded.last
    returning c.account_id, c.livemode, c.last
  ), ${name} as (
    select s.*, k.last - count(*) over (partition by s.account_id, s.livemode)
      + row_number() over (partition by s.account_id, s.livemode order by s.n) as seq
    from ${source} s join ${name}_counter k on k.account_id = s.account_id and k.livemode = s.livemode
  )`;
}
