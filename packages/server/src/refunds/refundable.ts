import { ApiError, type RefundCreate } from '@till/contract';
import { disputesCovering } from '../disputes/sql.ts';
import type { PaymentRow } from '../payments/payment.ts';
import type { Queryable } from '../store/database.ts';

/** SQL: what can still be refunded of a payment, in minor units: what is neither refunded nor kept by a chargeback. */
export const leftOf = (payment: string) =>
  `greatest(${payment}.amount - ${payment}.refunded_amount - ${payment}.disputed_amount, 0)`;

/** What of a payment can be refunded, in minor units, and what keeps the rest. */
export interface Refundable {
  /** Refunded or pending. */
  readonly refunded: number;
  readonly left: number;
  /** Ids of the disputes that keep a part of it, oldest first. */
  readonly disputes: readonly string[];
}

/** What of a payment can be refunded now. Only the refund's own commit decides. */
export async function refundableOf(
  db: Queryable,
  { tenant, id }: Pick<PaymentRow, 'tenant' | 'id'>,
): Promise<Refundable> {
  const [row] = await db.query<Refundable>({
    name: 'refundable_of_payment',
    text: `select p.refunded_amount as refunded, ${leftOf('p')} as left,
             case when p.disputed_amount = 0 then '{}'::text[] else ${disputesCovering('$2')} end as disputes
           from payments p where p.tenant = $1 and p.id = $2`,
    values: [tenant, id],
    scope: { tenant },
  });
  if (row === undefined) throw new Error(`${id} is gone`);
  return row;
}

const listed = (disputes: readonly string[]) =>
  `${disputes.length === 1 ? 'dispute' : 'disputes'} ${disputes.join(', ')}`;

/** Why nothing can be refunded because of a dispute, in words; null where no dispute is the reason. */
export function disputeRefusal(
  { amount }: Pick<PaymentRow, 'amount'>,
  refundable: Refundable,
): string | null {
  const { refunded, left, disputes } = refundable;
  if (left > 0 || refunded >= amount || disputes.length === 0) return null;
  return `The payment cannot be refunded because of ${listed(disputes)}: what a chargeback covers goes back to the buyer by it, and a refund would pay that a second time. Once the chargeback is won the payment can be refunded again.`;
}

/** What is answered where less can be refunded than is asked for. */
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
  const most = `amount must be at most what is left to refund: ${left} in minor units of ${currency}`;
  return disputes.length === 0 ? `${most}.` : `${most}. The rest is covered by ${listed(disputes)}.`;
}
