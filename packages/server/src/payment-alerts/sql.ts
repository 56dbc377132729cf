import type { WaitingRows } from '../store/list.ts';

/**
 * Alerts about settled payments that nobody has acknowledged, the newest first. `$1` is the tenant.
 * @param withPayment SQL that joins the payment `p` of an alert `a`
 */
export const openAlerts = (withPayment: string): WaitingRows => ({
  name: 'attention_alerts',
  columns: `a.payment_id as payment, p.amount, p.currency, a.kind, a.created_at`,
  matching: `from payment_alerts a ${withPayment}
    where a.tenant = $1 and a.acknowledged_at is null`,
  order: 'a.created_at desc, a.payment_id, a.kind',
});

/** SQL for whether a reversal of a payment was booked. @param payment SQL of its id */
export const isReversed = (tenant: string, payment: string): string =>
  `exists (select from payment_movements m where m.tenant = ${tenant} and m.payment_id = ${payment} and m.type = 'reversal')`;
