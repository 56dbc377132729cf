import { isOperationOpen } from '../operations/sql.ts';

/**
 * SQL for how many saved methods a merchant account at the processor keeps, unfinished removals included.
 * @param own SQL for whether the row of an alias belongs to that merchant account
 */
export const keptMethods = (own: (alias: string) => string) => ({
  saved_methods: `(select count(*) from payment_methods m
    where m.tenant = $1 and ${own('m')} and (m.removed_at is null or ${isOperationOpen('m')}))`,
});

/** SQL for the customer of a saved method. `$1` is the tenant. */
export const customerOfMethod = (id: string): string =>
  `select customer_id as id from payment_methods where tenant = $1 and id = ${id}`;

/** SQL for the customers who saved a card with these last four digits. `$1` is the tenant. */
export const customersByCard = (last4: string, limit: string): string =>
  `select distinct customer_id as id from payment_methods
   where tenant = $1 and removed_at is null and last4 = ${last4} limit ${limit}`;

/** SQL for how many saved methods a customer has, counted up to a limit. `$1` is the tenant. */
export const countMethodsOf = (customer: string, max: number): string => `(select count(*) from (
  select 1 from payment_methods m where m.tenant = $1 and m.customer_id = ${customer}
    and m.removed_at is null limit ${max}) first)`;
