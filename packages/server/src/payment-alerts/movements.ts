import { bigint, int, nullable, oneOf, type RowOf, tenantColumns, text, time } from '../store/columns.ts';
import type { Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';

/** A booked chargeback or reversal of a payment. Rows never change. */
export const movementColumns = {
  ...tenantColumns,
  payment_id: text,
  /** Dense within the payment. */
  number: int,
  type: oneOf<'chargeback' | 'chargeback_reversed' | 'reversal'>(),
  /** Null for a reversal. */
  dispute_id: nullable(text),
  /** In minor units, negative where money went out. */
  amount: bigint,
  currency: text,
  /** Account time. */
  created_at: time,
} as const;

export type MovementRow = Pick<
  RowOf<typeof movementColumns>,
  'payment_id' | 'number' | 'type' | 'dispute_id'
> &
  Pick<RowOf<typeof movementColumns>, 'amount' | 'currency' | 'created_at'> & {
    readonly reference: string | null;
  };

/**
 * SQL that books the money that a change of a dispute took from its payment or gave back. The statement that changes the dispute
 * calls it for the row that it returns, so that a stalled process holds no lock on the payment's row.
 * @param paymentId SQL of the payment's id; a column `tenant` must be in scope @param at SQL of the account time
 */
export const bookDisputeMovement = (paymentId: string, at: string): string =>
  `book_taken_money(tenant, ${paymentId}, ${at})`;

/**
 * Reads the movements booked from `from` (inclusive) until `to` (exclusive), in order of time.
 * @param withPayment SQL that joins the payment `p` of a movement `m`
 * @param after last row of the previous page; null for the first page
 */
export function movementsBetween(
  db: Queryable,
  tenant: Tenant,
  { from, to }: { readonly from: Date; readonly to: Date },
  { withPayment, after, max }: { withPayment: string; after: MovementRow | null; max: number },
): Promise<MovementRow[]> {
  return db.query<MovementRow>({
    name: 'payment_movements_between',
    text: `select m.payment_id, m.number, m.type, m.dispute_id, m.amount, m.currency, m.created_at, p.reference
           from payment_movements m ${withPayment}
           where m.tenant = $1 and m.created_at >= $2 and m.created_at < $3
             and (m.created_at, m.payment_id, m.number) > ($4::timestamptz, $5::text, $6::int)
           order by m.created_at, m.payment_id, m.number limit $7`,
    values: [
      tenant.tenant,
      from,
      to,
      after?.created_at ?? from,
      after?.payment_id ?? '',
      after?.number ?? 0,
      max,
    ],
    scope: tenant,
  });
}
