import type { DisputesExportQuery, DisputesQuery, DisputeTab } from '@till/contract/dashboard';
import type { Queryable } from '../store/database.ts';
import { Conditions, capped, foundRows, type ListedRow, matchingPageOf, maxCounted } from '../store/list.ts';
import type { Tenant } from '../store/tenant.ts';
import { isAssignedTo, isAssignedToNone } from './drafts.ts';
import type { DisputeRow } from './present.ts';
import { listed } from './reads.ts';
import { shownColumns, withPayment } from './store.ts';

/** The status condition of each tab, written as in its partial index, and the tab's order. */
const tabs: Readonly<Record<DisputeTab, { readonly statuses: string; readonly order: readonly string[] }>> = {
  action_required: {
    statuses: `d.status in ('new', 'action_required')`,
    order: ['respond_by nulls last', 'seq'],
  },
  challenged: { statuses: `d.status = 'challenged'`, order: ['seq desc'] },
  closed: { statuses: `d.status in ('accepted', 'lost', 'won', 'recovered')`, order: ['seq desc'] },
};

/** Ids of the signed-in person, and of all people to whom a dispute can be assigned. */
export interface InboxPeople {
  readonly me: string;
  readonly colleagues: readonly string[];
}

/** A page of a tab of the inbox. `capped`: there are more rows than `total`. */
export async function inboxPage(
  db: Queryable,
  tenant: Tenant,
  query: DisputesQuery & { readonly tab: DisputeTab },
  { offset, perPage }: { readonly offset: number; readonly perPage: number },
  people: InboxPeople,
): Promise<{ readonly rows: DisputeRow[]; readonly total: number; readonly capped: boolean }> {
  const { order } = tabs[query.tab];
  const where = matching(tenant, query, people);
  const place = { offset, perPage, isCapped: true };
  const { rows, total } = foundRows(
    await db.query<ListedRow<DisputeRow>>(matchingPageOf(tenant, { ...listed, order }, where, place)),
  );
  return { rows, ...capped(total) };
}

function matching(
  tenant: Tenant,
  { tab, reason, state, payment, assignee }: DisputesExportQuery,
  { me, colleagues }: InboxPeople,
): Conditions {
  const where = new Conditions(
    ['d.tenant = $1', ...(tab === undefined ? [] : [tabs[tab].statuses])],
    [tenant.tenant],
  )
    .add((p) => `coalesce(d.reason, 'general') = ${p}`, reason)
    .add((p) => `d.state = ${p}`, state)
    .add((p) => `d.payment_id = ${p}`, payment);
  if (assignee === 'me') where.require(isAssignedTo(where.value(me)));
  if (assignee === 'nobody') where.require(isAssignedToNone(where.value(colleagues)));
  return where;
}

/** A dispute with the columns that only the export has. */
export interface ExportedDispute extends DisputeRow {
  readonly seq: number;
  readonly payment_reference: string | null;
}

/**
 * The next matching disputes, newest first, for an export.
 * @param before `seq` of the last row of the previous batch; null for the first
 */
export async function nextDisputes(
  db: Queryable,
  tenant: Tenant,
  query: DisputesExportQuery,
  people: InboxPeople,
  { before, limit }: { readonly before: number | null; readonly limit: number },
): Promise<ExportedDispute[]> {
  const where = matching(tenant, query, people).add((p) => `d.seq < ${p}`, before);
  return db.query<ExportedDispute>({
    text: `select ${shownColumns}, d.seq, p.reference as payment_reference from disputes d ${withPayment}
           where d.tenant = $1 and ${where.sql} order by d.seq desc limit ${where.value(limit)}`,
    values: where.values,
    scope: tenant,
  });
}

/** The number of disputes in each tab, counted up to `maxCounted`. */
export async function tabCounts(
  db: Queryable,
  tenant: Tenant,
): Promise<Readonly<Record<DisputeTab, number>>> {
  const count = (tab: DisputeTab) =>
    `(select count(*) from (select 1 from disputes d where d.tenant = $1
        and ${tabs[tab].statuses} limit ${maxCounted}) counted) as ${tab}`;
  const [row] = await db.query<Record<DisputeTab, number>>({
    name: 'dispute_tab_counts',
    text: `select ${count('action_required')}, ${count('challenged')}, ${count('closed')}`,
    values: [tenant.tenant],
    scope: tenant,
  });
  return row ?? { action_required: 0, challenged: 0, closed: 0 };
}
