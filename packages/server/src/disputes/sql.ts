import { joinPayment } from '../payments/sql.ts';
import type { WaitingRows } from '../store/list.ts';
/** SQL that counts the open disputes of a merchant account. @param own SQL for whether the row of an alias belongs to it */
export const openDisputes = (own: (alias: string) => string) => ({
  disputes_open: `(select count(*) from disputes d
    where d.tenant = $1 and ${own('d')} and d.status in ('new', 'action_required', 'challenged'))`,
});

/** SQL of the ids of the disputes that cover a part of a payment, oldest first. @param payment alias of the payment's row */
export const disputesCovering = (payment: string): string => `array(
  select d.id from disputes d where d.tenant = ${payment}.tenant and d.payment_id = ${payment}.id and disputed_part(d) > 0
  order by d.seq)`;

/** SQL of the payment id of a dispute. `$1` is the tenant. */
export const paymentOfDispute = (id: string): string =>
  `select payment_id from disputes where tenant = $1 and id = ${id}`;

/** SQL of the ids of payments with a dispute that has this acquirer reference number (ARN). `$1` is the tenant. */
export const paymentsByDispute = (arn: string): string =>
  `select payment_id from disputes where tenant = $1 and arn = ${arn}`;

/** SQL of the customer of a dispute. `$1` is the tenant. */
export const customerOfDispute = (id: string): string =>
  `select customer_id as id from disputes where tenant = $1 and id = ${id}`;

/** SQL for whether a payment has a dispute. `$1` is the tenant. */
export const isDisputed = (payment: string): string =>
  `exists (select from disputes d where d.tenant = $1 and d.payment_id = ${payment})`;

/** Disputes that wait for an answer, the nearest deadline first. `$1` is the tenant. */
export const disputesDue: WaitingRows = {
  name: 'attention_disputes',
  columns: `d.id, coalesce(d.amount, p.amount) as amount, coalesce(d.currency, p.currency) as currency,
    coalesce(d.reason, 'general') as reason, d.respond_by`,
  matching: `from disputes d ${joinPayment('d')}
    where d.tenant = $1 and d.status = 'action_required'`,
  order: 'd.respond_by, d.seq',
};

/**
 * SQL that finds the dispute that a line of a settlement report refers to, by `upstream_reference`, or else the payment's latest.
 */
export const disputeOfReport = (line: string, payment: string): string => `select f.id, f.payment_id from (
  ${[`d.upstream_id = ${line}.upstream_reference`, `d.payment_id = ${payment}`]
    .map(
      (found) =>
        `select d.id, d.payment_id, d.upstream_id, d.seq from disputes d where d.tenant = ${line}.tenant and ${found}`,
    )
    .join(' union all ')}) f
  order by f.upstream_id = ${line}.upstream_reference desc, f.seq desc limit 1`;

/** SQL of the ids of a payment's disputes. */
export const disputesOf = (tenant: string, payment: string): string =>
  `select id from disputes where tenant = ${tenant} and payment_id = ${payment}`;
