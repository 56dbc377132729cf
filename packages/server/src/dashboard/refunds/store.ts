import type { MethodType, PaymentStatus } from '@till/contract';
import { listLimits, type RefundsQuery } from '@till/contract/dashboard';
import type { Database } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';
import { type CreatedRange, readMoment } from '../payments/search/filter.ts';
import { hasValue, type Places } from '../payments/search/matching.ts';
import { readSearch, type SearchWords } from '../payments/search/search-words.ts';
import { Where } from '../payments/search/where.ts';
import { placesOf } from '../payments/store.ts';

/** What a view of refunds shows. Null: everything. */
export interface RefundFilter {
  readonly search: SearchWords | null;
  readonly statuses: readonly string[] | null;
  /** `none` stands for no reason. */
  readonly reasons: readonly string[] | null;
  readonly currency: string | null;
  readonly payment: string | null;
  readonly created: CreatedRange;
}

/** @throws ApiError `invalid_params` for days that do not exist */
export function readRefundFilter(query: RefundsQuery): RefundFilter {
  return {
    search: readSearch(query.q ?? ''),
    statuses: query.status?.split(',') ?? null,
    reasons: query.reason?.split(',') ?? null,
    currency: query.currency ?? null,
    payment: query.payment ?? null,
    created: {
      from: readMoment('created_gte', query.created_gte),
      to: readMoment('created_lt', query.created_lt),
    },
  };
}

/** The payment of a refund, as the list shows it. */
export interface RefundedPaymentRow {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly status: PaymentStatus;
  readonly reference: string | null;
  readonly brand: string | null;
  readonly last4: string | null;
  readonly method: MethodType;
  readonly refunded_amount: number;
}

const paymentColumns = `p.id, p.amount, p.currency, p.status, p.reference, p.brand, p.last4, p.method_type as method,
  p.refunded_amount`;

/** A page of the refunds that match, newest first: their ids in order, counted up to a limit. */
export async function findRefunds(
  db: Database,
  tenant: Tenant,
  filter: RefundFilter,
  page: { readonly offset: number; readonly limit: number },
): Promise<{ ids: readonly string[]; total: number; isExact: boolean; searchedBackTo: Date | null }> {
  const whole = await placesOf(db, tenant, filter.created, 'refunds');
  const { created, search, payment, ...others } = filter;
  if (![...Object.values(others), search, payment, created.from, created.to].some((part) => part !== null)) {
    return everyRefund(db, tenant, whole, page);
  }
  const isNarrow = search !== null || payment !== null;
  const low = isNarrow ? whole.low : Math.max(whole.low, whole.high - listLimits.searchedRows);
  const where = matching(new Where(tenant), filter, { ...whole, low });
  const limit = where.value(listLimits.countedRows + 1);
  // What a search finds through several tables is found once, and counted and paged from that.
  const rows = await db.query<{ id: string | null; total: number }>({
    text: `with found as materialized (
             select r.id, r.seq from refunds r where r.tenant = $1${where.sql}
             order by r.seq desc limit ${limit}),
           page as (
             select id, seq from found order by seq desc
             offset ${where.value(page.offset)} limit ${where.value(page.limit)})
           select (select count(*) from found) as total, page.id from (select 1) one left join page on true
           order by page.seq desc`,
    values: where.values,
    scope: tenant,
  });
  const total = rows[0]?.total ?? 0;
  const isCut = low > whole.low;
  return {
    ids: rows.flatMap(({ id }) => (id === null ? [] : [id])),
    total: Math.min(total, listLimits.countedRows),
    isExact: total <= listLimits.countedRows && !isCut,
    searchedBackTo: isCut && total <= listLimits.countedRows ? await timeAfter(db, tenant, low) : null,
  };
}

/** Refunds are numbered densely: their greatest number is their count, and a page is a range. */
async function everyRefund(
  db: Database,
  tenant: Tenant,
  { high }: Places,
  { offset, limit }: { readonly offset: number; readonly limit: number },
) {
  const rows = await db.query<{ id: string }>({
    name: 'dashboard_refunds_page',
    text: `select id from refunds where tenant = $1 and seq <= $2 and seq > $3
           order by seq desc`,
    values: [tenant.tenant, high - offset, high - offset - limit],
    scope: tenant,
  });
  return { ids: rows.map(({ id }) => id), total: high, isExact: true, searchedBackTo: null };
}

function matching(where: Where, filter: RefundFilter, places: Places): Where {
  where
    .oneOf('r.status', filter.statuses)
    .is(filter.currency, (p) => `r.currency = ${p}`)
    .is(filter.payment, (p) => `r.payment_id = ${p}`)
    .is(filter.reasons, (p) => `coalesce(r.reason, 'none') = any(${p})`)
    .is(filter.created.from, (p) => `r.created_at >= ${p}`)
    .is(filter.created.to, (p) => `r.created_at < ${p}`)
    .is(places.low, (p) => `r.seq > ${p}`)
    .is(places.high, (p) => `r.seq <= ${p}`);
  return filter.search === null ? where : where.add(`r.id in (${found(where, filter.search)})`);
}

/** SQL of the ids of the refunds that a search names, each kind of match by its index. */
function found(where: Where, search: SearchWords): string {
  const limit = where.value(listLimits.countedRows);
  const ids = (condition: string) =>
    `select id from (select id from refunds where tenant = $1 and ${condition} limit ${limit}) named`;
  switch (search.kind) {
    case 'id': {
      const id = where.value(search.id);
      return search.of === 'payment' ? ids(`payment_id = ${id}`) : ids(`id = ${id}`);
    }
    case 'last4':
      return ids(`payment_id in (${byCard(where.value(search.last4), limit)})`);
    case 'text': {
      const text = where.value(search.text.exact);
      const references = search.text.spellings
        .map((spelling) => where.begins('reference', spelling))
        .join(' or ');
      return [
        `upstream_id = ${text}`,
        `metadata::text <> '{}' and ${hasValue('metadata', text)}`,
        `payment_id in (select id from payments where tenant = $1 and (${references}) limit ${limit})`,
        ...(search.last4 === null ? [] : [`payment_id in (${byCard(where.value(search.last4), limit)})`]),
      ]
        .map(ids)
        .join('\nunion ');
    }
  }
}

const byCard = (last4: string, limit: string) =>
  `select id from payments where tenant = $1 and last4 = ${last4} and status <> 'processing'
   order by seq desc limit ${limit}`;

async function timeAfter(db: Database, tenant: Tenant, place: number): Promise<Date | null> {
  const [row] = await db.query<{ created_at: Date }>({
    text: 'select created_at from refunds where tenant = $1 and seq > $2 order by seq limit 1',
    values: [tenant.tenant, place],
    scope: tenant,
  });
  return row?.created_at ?? null;
}

/** The payments of some refunds, by the refund's id. */
export async function paymentsOfRefunds(
  db: Database,
  tenant: Tenant,
  refunds: readonly string[],
): Promise<ReadonlyMap<string, RefundedPaymentRow>> {
  const rows = await db.query<RefundedPaymentRow & { refund_id: string }>({
    name: 'dashboard_payments_of_refunds',
    text: `select r.id as refund_id, ${paymentColumns} from refunds r
           join payments p on p.tenant = $1 and p.id = r.payment_id
           where r.tenant = $1 and r.id = any($2)`,
    values: [tenant.tenant, refunds],
    scope: tenant,
  });
  return new Map(rows.map(({ refund_id: id, ...payment }) => [id, payment]));
}
