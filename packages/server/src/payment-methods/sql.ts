import { isOperationOpen } from '../operations/sql.ts';

/** What a merchant account keeps, as SQL of its number. @param own SQL for whether a row of an alias is its own */
export const keptMethods = (own: (alias: string) => string) => ({
  saved_methods: `(select count(*) from payment_methods m
    where m.tenant = $1 and ${own('m')} and (m.removed_at is null or ${isOperationOpen('m')}))`,
});

/** SQL of the customer of a saved method. `$1` is the tenant. */
export const customerOfMethod = (id: string): string =>
  `select customer_id as id from payment_methods where tenant = $1 and id = ${id}`;

/** SQL of the customers who saved a card with these last four digits. `$1` is the tenant. */
export const customersByCard = (last4: string, limit: string): string =>
  `select distinct customer_id as id from payment_methods
   where tenant = $1 and removed_at is null and last4 = ${last4} limit ${limit}`;

/** SQL of how many saved methods a customer has, counted up to a limit. `$1` is the tenant. */
export const countMethodsOf = (customer: string, max: number): string => `(select count(*) from (
  select 1 from payment_methods m where m.tenant = $1 and m.customer_id = ${customer}
    and m.removed_at is null limit ${max}) first)`;
