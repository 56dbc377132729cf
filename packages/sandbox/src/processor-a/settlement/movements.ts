import type { SandboxDatabase } from '../../lib/dependencies.ts';
import { columnsOf } from '../../lib/json.ts';
import { fromAdyenUnits } from '../../lib/money.ts';
import { disputeMovements, type Movement } from '../../settlement/movement.ts';
import { derivedReference } from '../authorisation/derived-reference.ts';
import type { Dispute } from '../disputes/dispute.ts';

const item = `n.body::json -> 'notificationItems' -> 0 -> 'NotificationRequestItem'`;

// A payment whose capture failed brings no money. The reversal of a payment moves money only if the payment
// was paid out before; otherwise neither is listed. Refunds and their reversals are read from their
// notifications.
const moneySql = `
select 'payment' as kind, c.reference, null as refund, c.psp_reference as payment, c.psp_reference as upstream_id,
  c.amount, c.currency, c.brand, c.created_at as at
from sandbox.charges c where c.merchant_account = $1 and c.status = 'captured'
  and c.psp_reference not in (
    select ${item} ->> 'originalReference' from sandbox.notifications n
    where n.processor = 'processor_a' and n.merchant_account = $1 and n.id like 'CAPTURE\\_FAILED:%')
union all
select 'refund', c.reference, null, c.psp_reference, 'reversed ' || c.psp_reference, c.amount, c.currency, c.brand, $2
from sandbox.charges c join sandbox.paid_out p on p.merchant_account = c.merchant_account and p.id = 'payment ' || c.psp_reference
where c.merchant_account = $1 and c.status = 'cancelled'
union all
select case split_part(n.id, ':', 1) when 'REFUND' then 'refund' else 'refund_reversed' end, r.payment_reference,
  r.reference, r.received ->> 'paymentPspReference', r.upstream_id, r.amount, r.currency, null, e.at
from sandbox.refunds r join sandbox.notifications n
  on n.processor = 'processor_a' and n.merchant_account = r.merchant_account
  and n.id in ('REFUND:' || r.upstream_id || ':true', 'REFUNDED_REVERSED:' || r.upstream_id || ':true')
cross join lateral (select (${item} ->> 'eventDate')::timestamptz as at) e
where r.merchant_account = $1 and e.at <= $2`;

const disputesSql = `
select upstream_id, state from sandbox.disputes where merchant_account = $1 and processor = 'processor_a'`;

const orNull = (text: unknown) => (typeof text === 'string' ? text : null);

/** Returns the upstream's id of a movement. A reversal has a reference of its own. */
const referenceOf = (id: string, upstreamPayment: string) =>
  id.startsWith('reversed ') ? derivedReference('reversal', upstreamPayment) : id;

function moneyOf(row: unknown): Movement {
  const { kind, reference, refund, payment, upstream_id, amount, currency, brand, at } = columnsOf(row);
  const upstreamPayment = String(payment);
  const isPayment = kind === 'payment';
  return {
    id: `${String(kind)} ${String(upstream_id)}`,
    kind: isPayment ? 'payment' : kind === 'refund' ? 'refund' : 'refund_reversed',
    amount: Number(amount),
    currency: String(currency),
    at: new Date(at as string),
    payment: String(reference),
    refund: orNull(refund),
    upstreamPayment,
    // The capture has a reference of its own (Adyen docs, "Capture").
    upstreamId: isPayment
      ? derivedReference('capture', upstreamPayment)
      : referenceOf(String(upstream_id), upstreamPayment),
    brand: orNull(brand),
  };
}

/** Returns all movements of a merchant account's money, up to a moment in its own time. */
export async function movementsA(
  { database }: { readonly database: SandboxDatabase },
  merchantAccount: string,
  now: Date,
): Promise<Movement[]> {
  const money = await database.query(moneySql, [merchantAccount, now]);
  const disputes = await database.query(disputesSql, [merchantAccount]);
  const disputed = disputes.rows.flatMap((row) => {
    const { upstream_id, state } = columnsOf(row);
    const { reference, paymentPspReference, amount, brand, steps } = state as Dispute;
    const minor = fromAdyenUnits(amount.value, amount.currency) ?? 0;
    const of = { amount: minor, currency: amount.currency, payment: reference, refund: null, brand };
    const ids = { upstreamPayment: paymentPspReference, upstreamId: String(upstream_id) };
    return disputeMovements({ ...of, ...ids }, steps, now, false);
  });
  return [...money.rows.map(moneyOf), ...disputed];
}
