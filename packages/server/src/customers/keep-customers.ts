import type { Cte, KeyColumn } from '../store/columns.ts';

/**
 * CTEs that mark the customers named by some rows as kept, so that they are not discarded, and leave them in `kept`. A customer
 * is locked and written only if nothing has kept it before. The lock reveals a customer that is being discarded at this moment,
 * whatever the statement's snapshot.
 * @param condition SQL for whether a row `i` names a customer that exists already
 */
export const keepCustomers = (
  { name }: Cte<KeyColumn | 'customer_id'>,
  condition: string,
): string => `named as materialized (
    select c.tenant, c.id, c.is_kept from customers c
    where (c.tenant, c.id) in (select i.tenant, i.customer_id from ${name} i where ${condition})),
  unkept as materialized (
    select c.tenant, c.id from customers c join named n on n.tenant = c.tenant and n.id = c.id
    where not n.is_kept and c.discarded_at is null
    order by c.tenant, c.id for no key update of c),
  kept_now as (
    update customers c set is_kept = true from unkept u where c.tenant = u.tenant and c.id = u.id),
  kept as (select tenant, id from named where is_kept union all select tenant, id from unkept)`;
