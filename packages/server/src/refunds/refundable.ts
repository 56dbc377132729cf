import { ApiError, type RefundCreate } from '@till/contract';
import { disputesCovering } from '../disputes/sql.ts';
import type { PaymentRow } from '../payments/payment.ts';
import type { Queryable } from '../store/database.ts';
import { parameterRows } from '../store/sql.ts';

/** SQL of a payment's refundable rest in minor units: the amount that is neither refunded nor kept by a chargeback. */
export const restOf = (payment: string) =>
  `greatest(${payment}.amount - ${payment}.refunded_amount - ${payment}.disputed_amount, 0)`;

/** The refundable rest of a payment in minor units, and what keeps the other part. */
export interface Refundable {
  /** Sum of the pending and succeeded refunds. */
  readonly refunded: number;
  readonly left: number;
  /** Ids of the disputes that keep a part of the amount, oldest first. */
  readonly disputes: readonly string[];
}

export type PaymentKey = Pick<PaymentRow, 'tenant' | 'id'>;

/** The refundable rest of each payment. @returns it in the order of the keys; undefined for a payment that does not exist */
export async function refundablesOf(
  db: Queryable,
  payments: readonly PaymentKey[],
): Promise<(Refundable | undefined)[]> {
  const rows = await db.query<Refundable & { readonly n: number }>({
    name: 'refundable_of_payments',
    generic: true,
    text: `select s.n::int, p.refunded_amount as refunded, ${restOf('p')} as left,
             case when p.disputed_amount = 0 then '{}'::text[] else ${disputesCovering('p')} end as disputes
           from ${parameterRows('int', 'text')} with ordinality as s (tenant, id, n)
           join payments p using (tenant, id)`,
    values: [payments.map(({ tenant }) => tenant), payments.map(({ id }) => id)],
    scope: payments,
  });
  const found = new Map(rows.map(({ n, ...refundable }) => [n, refundable]));
  return payments.map((_payment, index) => found.get(index + 1));
}

/** @throws Error if the payment does not exist */
export function requireFound({ id }: PaymentKey, refundable: Refundable | undefined): Refundable {
  if (refundable === undefined) throw new Error(`${id} is gone`);
  return refundable;
}

/** The amount of a payment that can be refunded now. It is advisory: only the refund's own commit decides. */
export async function refundableOf(db: Queryable, payment: PaymentKey): Promise<Refundable> {
  const [refundable] = await refundablesOf(db, [payment]);
  return requireFound(payment, refundable);
}

const listed = (disputes: readonly string[]) =>
  `${disputes.length === 1 ? 'dispute' : 'disputes'} ${disputes.join(', ')}`;

/** The message that a dispute prevents any refund; null if no dispute is the reason. */
export function disputeRefusal(
  { amount }: Pick<PaymentRow, 'amount'>,
  refundable: Refundable,
): string | null {
  const { refunded, left, disputes } = refundable;
  if (left > 0 || refunded >= amount || disputes.length === 0) return null;
  return `The payment cannot be refunded because of ${listed(disputes)}: what a chargeback covers goes back to the buyer by it, and a refund would pay that a second time. Once the chargeback is won the payment can be refunded again.`;
}

/** The error for a refund of more than is left. */
export function notRefundable(payment: PaymentRow, request: RefundCreate, refundable: Refundable): ApiError {
  const refusal = disputeRefusal(payment, refundable);
  if (refusal !== null) return new ApiError('payment_not_refundable', refusal);
  return new ApiError('amount_invalid', amountMessage(payment, request, refundable), { param: 'amount' });
}

function amountMessage(
  { currency }: PaymentRow,
  request: RefundCreate,
  { left, disputes }: Refundable,
): string {
  if (left === 0) return 'The payment is refunded in full already.';
  if (request.amount === undefined) return 'Nothing is left to refund.';
  const max = `amount must be at most what is left to refund: ${left} in minor units of ${currency}`;
  return disputes.length === 0 ? `${max}.` : `${max}. The rest is covered by ${listed(disputes)}.`;
}
