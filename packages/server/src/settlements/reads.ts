import { bigint, listOf } from '../store/columns.ts';
import type { Queryable } from '../store/database.ts';
import { foundRows, type ListedRow, numberedPage } from '../store/list.ts';
import type { Tenant } from '../store/tenant.ts';
import { type LineRow, lineColumns, type PayoutRow, payoutColumns } from './row.ts';

interface Place {
  readonly offset: number;
  readonly perPage: number;
}

const listSql = numberedPage({
  table: 'payouts',
  alias: 'o',
  columns: listOf({ ...payoutColumns, seq: bigint }, 'o'),
  list: 'payouts',
});

/** One page of a tenant's payouts, the latest imported first, and their total number. */
export async function listPayoutRows(
  db: Queryable,
  tenant: Tenant,
  { offset, perPage }: Place,
): Promise<{ rows: PayoutRow[]; total: number }> {
  return foundRows(
    await db.query<ListedRow<PayoutRow>>({
      name: 'list_payouts',
      generic: true,
      text: listSql,
      values: [tenant.tenant, offset, perPage],
      scope: tenant,
    }),
  );
}

export async function findPayout(db: Queryable, tenant: Tenant, id: string): Promise<PayoutRow | undefined> {
  const [row] = await db.query<PayoutRow>({
    name: 'find_payout',
    text: `select ${listOf(payoutColumns)} from payouts where tenant = $1 and id = $2`,
    values: [tenant.tenant, id],
    scope: tenant,
  });
  return row;
}

/** Lines of a payout after line number `after`, in the order of the report. */
export function nextLines(
  db: Queryable,
  tenant: Tenant,
  payoutId: string,
  { after, max }: { readonly after: number; readonly max: number },
): Promise<LineRow[]> {
  return db.query<LineRow>({
    name: 'next_payout_lines',
    text: `select ${listOf(lineColumns)} from payout_lines
           where tenant = $1 and payout_id = $2 and number > $3 and number <= $4 order by number`,
    values: [tenant.tenant, payoutId, after, after + max],
    scope: tenant,
  });
}

/** A page of the lines of a payout that do not match the records. */
export function unmatchedLines(
  db: Queryable,
  tenant: Tenant,
  payoutId: string,
  { offset, perPage }: Place,
): Promise<LineRow[]> {
  return db.query<LineRow>({
    name: 'unmatched_payout_lines',
    text: `select ${listOf(lineColumns)} from payout_lines
           where tenant = $1 and payout_id = $2 and unmatched is not null order by number offset $3 limit $4`,
    values: [tenant.tenant, payoutId, offset, perPage],
    scope: tenant,
  });
}

/** The payouts of a month by their dates, oldest first. @param month as in `2026-11` */
export function payoutsOfMonth(db: Queryable, tenant: Tenant, month: string): Promise<PayoutRow[]> {
  return db.query<PayoutRow>({
    name: 'payouts_of_month',
    text: `select ${listOf(payoutColumns)} from payouts
           where tenant = $1 and arrival_date >= $2 and arrival_date <= $3 order by arrival_date, seq`,
    // Strings that differ only in digits sort the same in every collation.
    values: [tenant.tenant, `${month}-01`, `${month}-31`],
    scope: tenant,
  });
}

/** A payout and the net amount of its lines about one payment, in minor units. */
export interface PayoutOfPayment extends Pick<PayoutRow, 'id' | 'arrival_date' | 'currency'> {
  readonly net: number;
}

/** The payouts with lines of a payment, oldest first. Lines that another report has already do not count. */
export function payoutsOfPayment(
  db: Queryable,
  tenant: Tenant,
  paymentId: string,
): Promise<PayoutOfPayment[]> {
  return db.query<PayoutOfPayment>({
    name: 'payouts_of_payment',
    text: `select o.id, o.arrival_date, o.currency, sum(l.gross - l.fee)::bigint as net
           from payout_lines l join payouts o on o.tenant = $1 and o.id = l.payout_id
           where l.tenant = $1 and l.payment_id = $2 and l.unmatched is distinct from 'reported_before'
           group by o.tenant, o.id order by o.seq`,
    values: [tenant.tenant, paymentId],
    scope: tenant,
  });
}
