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

/** One page of a tenant's payouts, the latest imported first, and the number of all. */
export async function listPayoutRows(
  db: Queryable,
  tenant: Tenant,
  { offset, perPage }: Place,
): Promise<{ rows: PayoutRow[]; total: number }> {
  return foundRows(
    await db.query<ListedRow<PayoutRow>>({
      name: 'list_payouts',
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

/** Lines of a payout after the one with a number, in the order of the report. */
export function nextLines(
  db: Queryable,
  tenant: Tenant,
  payoutId: string,
  { after, most }: { readonly after: number; readonly most: number },
): Promise<LineRow[]> {
  return db.query<LineRow>({
    name: 'next_payout_lines',
    text: `select ${listOf(lineColumns)} from payout_lines
           where tenant = $1 and payout_id = $2 and number > $3 and number <= $4 order by number`,
    values: [tenant.tenant, payoutId, after, after + most],
    scope: tenant,
  });
}
