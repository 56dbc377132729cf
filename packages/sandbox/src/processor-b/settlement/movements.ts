import type { SandboxDatabase } from '../../lib/dependencies.ts';
import { columnsOf } from '../../lib/json.ts';
import { fromDecimal } from '../../lib/money.ts';
import { disputeMovements, type Movement } from '../../settlement/movement.ts';
import { listDisputes } from '../disputes/dispute-store.ts';
import type { Dispute } from '../model/dispute.ts';
import type { Order } from '../model/order.ts';
import { refundMoves } from '../model/refund-status.ts';
import { orderOf } from '../store/store.ts';

const ordersSql = `
select state from sandbox.orders where merchant_account = $1 and capture_id is not null`;

function refundMovements({ refunds, money, reference, capture, card }: Order, now: Date): Movement[] {
  return refunds.flatMap((refund) => {
    const of = {
      amount: refund.minorAmount,
      currency: money.currency_code,
      payment: reference,
      refund: refund.reference,
      upstreamPayment: capture?.id ?? '',
      upstreamId: refund.id,
      brand: card?.brand ?? null,
    };
    const settledOutside =
      refund.status === 'COMPLETED' ? [{ status: 'COMPLETED', at: refund.createdAt }] : [];
    const moves = [...settledOutside, ...refundMoves(refund)].map(({ status, at }) => ({
      status,
      at: new Date(at),
    }));
    const [went, ...after] = moves.filter(({ at }) => at <= now);
    if (went?.status !== 'COMPLETED') return [];
    const back = after.find(({ status }) => status === 'FAILED');
    return [
      { ...of, id: `refund ${refund.id}`, kind: 'refund' as const, at: went.at },
      ...(back === undefined
        ? []
        : [{ ...of, id: `refund ${refund.id} back`, kind: 'refund_reversed' as const, at: back.at }]),
    ];
  });
}

function orderMovements(order: Order, now: Date): Movement[] {
  const { capture, card } = order;
  if (capture?.status !== 'COMPLETED') return [];
  const payment: Movement = {
    id: `capture ${capture.id}`,
    kind: 'payment',
    amount: capture.minorAmount,
    currency: order.money.currency_code,
    at: new Date(capture.createdAt),
    payment: order.reference,
    refund: null,
    upstreamPayment: capture.id,
    upstreamId: capture.id,
    brand: card?.brand ?? null,
  };
  return [payment, ...refundMovements(order, now)];
}

function movementsOfDispute({ id, reference, captureId, amount, steps }: Dispute, now: Date): Movement[] {
  const { currency_code: currency, value } = amount;
  const of = { currency, amount: fromDecimal(value, currency) ?? 0, payment: reference, refund: null };
  const ids = { upstreamPayment: captureId, upstreamId: id, brand: null };
  return disputeMovements({ ...of, ...ids }, steps, now, true);
}

/** Returns all movements of a merchant account's money, up to a moment in its own time. */
export async function movementsB(
  { database }: { readonly database: SandboxDatabase },
  merchantAccount: string,
  now: Date,
): Promise<Movement[]> {
  const { rows } = await database.query(ordersSql, [merchantAccount]);
  const disputes = await listDisputes(database, merchantAccount);
  return [
    ...rows.flatMap((row) => orderMovements(orderOf(columnsOf(row).state), now)),
    ...disputes.flatMap((dispute) => movementsOfDispute(dispute, now)),
  ];
}
