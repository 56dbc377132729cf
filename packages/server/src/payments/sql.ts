import { hasDraft } from '../operations/sql.ts';
import type { WaitingRows } from '../store/list.ts';
import { draftsOfTenant } from './drafts.ts';
/** SQL that joins the payment of a row, as `p`. @param of alias of the row, with `tenant` @param id SQL for the payment's id */
export const joinPayment = (of: string, id = `${of}.payment_id`): string =>
  `join payments p on p.tenant = ${of}.tenant and p.id = ${id}`;

/** SQL that joins a payment, as `p`. @param id SQL for its id; `$1` is the tenant */
export const joinPaymentById = (id: string): string => `join payments p on p.tenant = $1 and p.id = ${id}`;

/**
 * SQL for what is still open at a merchant account of the processor: a count for each kind.
 * @param own SQL for whether the row of an alias belongs to that merchant account
 */
export const openPayments = (own: (alias: string) => string) => ({
  holds: `(select count(*) from payments p where p.tenant = $1 and ${own('p')} and p.status = 'authorized')`,
  payments_waiting_for_the_buyer: `(select count(*) from payments p where p.tenant = $1 and ${own('p')} and p.status = 'requires_action')`,
  payments_in_doubt: `(select count(*) from operations o ${joinPayment('o', 'o.subject')}
    where o.tenant = $1 and ${own('p')})
    + (select count(*) from (${draftsOfTenant}) p where ${own('p')})
    + (select count(*) from (
      select d.draft ->> 'processor_identity' as processor_identity
      from operations o join discarded_payments d on d.tenant = o.tenant and d.id = o.subject where o.tenant = $1) p
      where ${own('p')})`,
});

/**
 * SQL for the payment that a line of a processor's report means. `upstream_payment` is the processor's id of it, `named_payment`
 * ours. Each reference has a query of its own: with one condition for all three PostgreSQL reads every payment of the account
 * if its statistics are old.
 */
export const paymentOfReport = (
  line: string,
): string => `select f.id, f.amount, f.currency, f.succeeded from (
  ${[
    `p.id = ${line}.named_payment`,
    `p.upstream ->> 'psp' = ${line}.upstream_payment`,
    `p.upstream ->> 'capture' = ${line}.upstream_payment`,
  ]
    .map(
      (found) =>
        `select p.id, p.amount, p.currency, p.status = 'succeeded' as succeeded, p.seq from payments p
         where p.tenant = ${line}.tenant and ${found}`,
    )
    .join(' union all ')}) f
  order by f.seq limit 1`;

/** SQL for whether any payment was made with one of these merchant accounts. `$1`: tenant. @param identities SQL of an array */
export const isMadeWith = (identities: string): string =>
  `exists (select from payments p where p.tenant = $1 and p.processor_identity = any (${identities}))`;

/** SQL for the customer of a payment. `$1` is the tenant. */
export const customerOfPayment = (id: string): string =>
  `select customer_id as id from payments where tenant = $1 and id = ${id}`;

/** SQL for how many payments of a customer are shown, counted up to a limit. `$1` is the tenant. */
export const countPaymentsOf = (customer: string, max: number): string => `(select count(*) from (
  select 1 from payments p where p.tenant = $1 and p.customer_id = ${customer} limit ${max}) first)`;

/** SQL for the payments with a card that has these last four digits. `$1` is the tenant. */
export const paymentsByCard = (last4: string): string =>
  `select id from payments where tenant = $1 and last4 = ${last4}`;

/** SQL for the payments that meet one of these conditions on their reference. `$1` is the tenant. */
export const paymentsByReference = (conditions: readonly string[]): string =>
  `select id from payments where tenant = $1 and (${conditions.join(' or ')})`;

/** Holds that end after `$2` and by `$3`. `$1` is the tenant. */
export const holdsEnding: WaitingRows = {
  name: 'attention_holds',
  columns: `id, amount, currency, reference, authorization_expires`,
  matching: `from payments where tenant = $1 and status = 'authorized'
    and authorization_expires > $2 and authorization_expires <= $3`,
  order: 'authorization_expires',
};

/**
 * The operations on payments that the processor was asked for by `$2` and has not answered. A charge that was certainly not
 * carried out and only waits for the merchant's retry is left out. `$1` is the tenant.
 */
export const operationsInDoubt: WaitingRows = {
  name: 'attention_operations',
  columns: `o.subject as payment, coalesce(p.amount, (coalesce(o.draft, d.draft) ->> 'amount')::bigint) as amount,
    coalesce(p.currency, coalesce(o.draft, d.draft) ->> 'currency') as currency, o.kind, p.id is not null as shown,
    o.created_at as since, case when isfinite(o.next_try_at) then o.next_try_at end as next_try_at`,
  matching: `from operations o left ${joinPayment('o', 'o.subject')}
    left join discarded_payments d on d.tenant = o.tenant and d.id = o.subject
    where o.tenant = $1 and o.created_at <= $2 and (p.id is not null or ${hasDraft()} or d.id is not null)
      and not (o.kind = 'expire' and ${hasDraft()})`,
  order: 'o.created_at',
};

/** SQL for whether any payment was ever authorized. `$1` is the tenant. */
export const hasAuthorized = `exists (select from payments where tenant = $1
  and status in ('succeeded', 'authorized', 'voided'))`;

/** SQL for whether any payment was ever declined. `$1` is the tenant. @param except SQL for failure codes that are no decline */
export const hasDeclined = (except: string): string => `exists (select from payments where tenant = $1
  and status = 'failed' and failure_code <> all (${except}))`;

/** SQL for all payments, for sums over them. `$1` is the tenant. */
export const allPayments = (columns: string): string => `select ${columns} from payments where tenant = $1`;

/** Holds whose guarantee ends after `$2` and by `$3`. `$1` is the tenant. */
export const guaranteesEnding: WaitingRows = {
  name: 'attention_guarantees',
  columns: 'id, amount, currency, reference, authorization_guaranteed_until',
  matching: `from payments where tenant = $1 and status = 'authorized'
    and authorization_guaranteed_until > $2 and authorization_guaranteed_until <= $3`,
  order: 'authorization_guaranteed_until',
};
