import type { DisputesQuery, DisputeTab } from '@till/contract/dashboard';
import type { Queryable } from '../store/database.ts';
import { Conditions, capped, foundRows, type ListedRow, matchingPageOf, mostCounted } from '../store/list.ts';
import type { Tenant } from '../store/tenant.ts';
import type { DisputeRow } from './present.ts';
import { listed } from './reads.ts';

/** The statuses of a tab, as their indexes know them, and the order in which it is worked off. */
const tabs: Readonly<Record<DisputeTab, { readonly statuses: string; readonly order: readonly string[] }>> = {
  action_required: {
    statuses: `d.status in ('new', 'action_required')`,
    order: ['respond_by nulls last', 'seq'],
  },
  challenged: { statuses: `d.status = 'challenged'`, order: ['seq desc'] },
  closed: { statuses: `d.status in ('accepted', 'lost', 'won', 'recovered')`, order: ['seq desc'] },
};

/** A page of the inbox. */
export async function inboxPage(
  db: Queryable,
  tenant: Tenant,
  query: DisputesQuery & { readonly tab: DisputeTab },
  { offset, perPage }: { readonly offset: number; readonly perPage: number },
): Promise<{ readonly rows: DisputeRow[]; readonly total: number; readonly capped: boolean }> {
  const { statuses, order } = tabs[query.tab];
  const where = new Conditions(['d.tenant = $1', statuses], [tenant.tenant]);
  where.add((p) => `coalesce(d.reason, 'general') = ${p}`, query.reason);
  where.add((p) => `d.state = ${p}`, query.state);
  where.add((p) => `d.payment_id = ${p}`, query.payment);
  const place = { offset, perPage, isCapped: true };
  const { rows, total } = foundRows(
    await db.query<ListedRow<DisputeRow>>(matchingPageOf(tenant, { ...listed, order }, where, place)),
  );
  return { rows, ...capped(total) };
}

/** How many disputes stand in each tab, counted up to `mostCounted`. */
export async function tabCounts(
  db: Queryable,
  tenant: Tenant,
): Promise<Readonly<Record<DisputeTab, number>>> {
  const count = (tab: DisputeTab) =>
    `(select count(*) from (select 1 from disputes d where d.tenant = $1
        and ${tabs[tab].statuses} limit ${mostCounted}) counted) as ${tab}`;
  const [row] = await db.query<Record<DisputeTab, number>>({
    name: 'dispute_tab_counts',
    text: `select ${count('action_required')}, ${count('challenged')}, ${count('closed')}`,
    values: [tenant.tenant],
    scope: tenant,
  });
  return row ?? { action_required: 0, challenged: 0, closed: 0 };
}
