import { ApiError, type Payout, type PayoutLine, type PayoutListQuery } from '@till/contract';
import { type List, listOfPage, placeOfPage } from '../lib/list.ts';
import type { Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';
import { presentLine, presentPayout } from './present.ts';
import { findPayout, listPayoutRows, nextLines } from './reads.ts';
import type { PayoutRow } from './row.ts';

/** @throws ApiError `not_found`, also if the payout belongs to another merchant or to the other mode */
export async function requirePayout(db: Queryable, tenant: Tenant, id: string): Promise<PayoutRow> {
  const payout = /^po_[a-z0-9]{24}$/.test(id) ? await findPayout(db, tenant, id) : undefined;
  if (payout === undefined) throw new ApiError('not_found', 'There is no payout with this id.');
  return payout;
}

/** One page of a tenant's payouts. */
export async function listPayouts(
  db: Queryable,
  tenant: Tenant,
  query: PayoutListQuery,
): Promise<List<Payout>> {
  const place = placeOfPage(query);
  const { rows, total } = await listPayoutRows(db, tenant, place);
  return listOfPage(
    rows.map((row) => presentPayout(row, tenant)),
    total,
    place,
  );
}

/** One page of a payout's lines. @throws ApiError `not_found` */
export async function listPayoutLines(
  db: Queryable,
  tenant: Tenant,
  id: string,
  query: PayoutListQuery,
): Promise<List<PayoutLine>> {
  const payout = await requirePayout(db, tenant, id);
  const place = placeOfPage(query);
  const rows = await nextLines(db, tenant, id, { after: place.offset, max: place.perPage });
  return listOfPage(
    rows.map((row) => presentLine(row, payout)),
    payout.lines_count,
    place,
  );
}
