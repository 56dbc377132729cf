import type { WaitingRows } from '../store/list.ts';
/**
 * What processors said against settled payments and nobody has dealt with; the newest first. `$1` is the tenant.
 * @param withPayment SQL that joins the payment `p` of an alert `a`
 */
export const openAlerts = (withPayment: string): WaitingRows => ({
  name: 'attention_alerts',
  columns: `a.payment_id as payment, p.amount, p.currency, a.kind, a.created_at`,
  matching: `from payment_alerts a ${withPayment}
    where a.tenant = $1 and a.acknowledged_at is null`,
  order: 'a.created_at desc, a.payment_id, a.kind',
});

/**
 * SQL of the payments that their processor took back between two times, or never collected: `$1` is the tenant, `$2` and
 * `$3` are the times, the last not included. What was refunded before has gone already.
 * @param withPayment SQL that joins the payment `p` of an alert `a`
 */
export const reversals = (withPayment: string): string =>
  `select p.id as payment, p.amount - p.refunded_amount as amount, p.currency, p.reference, min(a.created_at) as created_at
   from payment_alerts a ${withPayment}
   where a.tenant = $1 and a.kind in ('capture_failed', 'capture_reversed', 'cancelled_upstream')
     and p.status = 'succeeded'
   group by p.tenant, p.id
   having min(a.created_at) >= $2 and min(a.created_at) < $3 and p.amount > p.refunded_amount
   order by min(a.created_at), p.id`;
