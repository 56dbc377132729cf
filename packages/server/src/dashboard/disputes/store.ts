import type { DisputesQuery, DisputeTab } from '@till/contract/dashboard';
import type { DisputeRow } from '../../disputes/present.ts';
import { capped, mostCounted, rowsWithin } from '../../store/capped.ts';
import type { Queryable } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';

const columns = `d.tenant, d.id, d.payment_id, d.customer_id, d.amount, d.currency, d.state, d.status,
  d.reason, d.network_reason_code, d.respond_by, d.raised_at, d.arn, d.metadata, d.upstream_id, d.version,
  d.event_count, d.action_since, d.reminders, d.operations_done, d.created_at, (select o.kind from operations o
    where o.tenant = d.tenant and o.subject = d.id) as operation, p.method_type,
  p.brand, p.last4, p.exp_month, p.exp_year, p.amount as payment_amount, p.currency as payment_currency`;

/** The statuses of a tab, as their indexes know them, and the order in which it is worked off. */
const tabs: Readonly<Record<DisputeTab, { readonly statuses: string; readonly order: string }>> = {
  action_required: {
    statuses: `d.status in ('new', 'action_required')`,
    order: 'd.respond_by nulls last, d.seq',
  },
  challenged: { statuses: `d.status = 'challenged'`, order: 'd.seq desc' },
  closed: { statuses: `d.status in ('accepted', 'lost', 'won', 'recovered')`, order: 'd.seq desc' },
};

/** A page of the inbox. */
export async function inboxPage(
  db: Queryable,
  tenant: Tenant,
  query: DisputesQuery & { readonly tab: DisputeTab },
  { offset, perPage }: { readonly offset: number; readonly perPage: number },
): Promise<{ readonly rows: DisputeRow[]; readonly total: number; readonly capped: boolean }> {
  const { statuses, order } = tabs[query.tab];
  const conditions = ['d.tenant = $1', statuses];
  const values: unknown[] = [tenant.tenant];
  const where = (condition: (parameter: string) => string, value: unknown) => {
    if (value === undefined) return;
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  where((p) => `coalesce(d.reason, 'general') = ${p}`, query.reason);
  where((p) => `d.state = ${p}`, query.state);
  where((p) => `d.payment_id = ${p}`, query.payment);
  const matching = `from disputes d where ${conditions.join(' and ')}`;
  values.push(mostCounted + 1, offset, rowsWithin(offset, perPage));
  const [most, skip, take] = [values.length - 2, values.length - 1, values.length];
  const rows = await db.query<Partial<DisputeRow> & { total: number }>({
    text: `select t.total, page.* from (select count(*) as total from (select 1 ${matching} limit $${most}) m) t
           left join lateral (
             select ${columns}, row_number() over (order by ${order}) as place
             from (select d.* ${matching} order by ${order} offset $${skip} limit $${take}) d
             join payments p on p.tenant = d.tenant and p.id = d.payment_id
           ) page on true
           order by page.place`,
    values,
    scope: tenant,
  });
  return {
    rows: rows.flatMap(({ total: _total, ...row }) => (row.id == null ? [] : [row as DisputeRow])),
    ...capped(rows[0]?.total ?? 0),
  };
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

export interface DisputeEventRow {
  readonly id: string;
  readonly type: string;
  /** Account time. */
  readonly created_at: Date;
  /** The event as delivered. */
  readonly body: string;
}

/** Every event of a dispute, first to last. */
export async function eventsOfDispute(db: Queryable, tenant: Tenant, id: string): Promise<DisputeEventRow[]> {
  return db.query<DisputeEventRow>({
    text: `select id, type, created_at, body from events
           where tenant = $1 and object_id = $2 order by sequence`,
    values: [tenant.tenant, id],
    scope: tenant,
  });
}

/** What was given back of a payment or is about to be, in minor units. */
export async function refundedOf(db: Queryable, tenant: Tenant, paymentId: string): Promise<number> {
  const [row] = await db.query<{ refunded: number }>({
    name: 'dispute_refunded_of_payment',
    text: `select refunded_amount as refunded from payments where tenant = $1 and id = $2`,
    values: [tenant.tenant, paymentId],
    scope: tenant,
  });
  return row?.refunded ?? 0;
}
