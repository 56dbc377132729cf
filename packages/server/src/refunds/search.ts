import type { MethodType, PaymentStatus } from '@till/contract';
import { listLimits, type RefundsQuery } from '@till/contract/dashboard';
import { readSearch, type SearchWords } from '../customers/search-words.ts';
import { type CreatedRange, readMoment } from '../payments/search/filter.ts';
import { type Places, placesOf, timeAfter } from '../payments/search/places.ts';
import { joinPayment, paymentsByCard, paymentsByReference } from '../payments/sql.ts';
import type { Database } from '../store/database.ts';
import { Conditions, hasValue } from '../store/list.ts';
import type { Tenant } from '../store/tenant.ts';

/** The filters of a view of refunds. A filter that is null matches everything. */
export interface RefundFilter {
  readonly search: SearchWords | null;
  readonly statuses: readonly string[] | null;
  /** `none` matches refunds without a reason. */
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

/** The columns of a refund's payment that the list shows. */
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

/** A page of the matching refunds: their ids, newest first. They are counted up to a limit. */
export async function findRefunds(
  db: Database,
  tenant: Tenant,
  filter: RefundFilter,
  page: { readonly offset: number; readonly limit: number },
): Promise<{ ids: readonly string[]; total: number; isExact: boolean; searchedBackTo: Date | null }> {
  const whole = await placesOfRefunds(db, tenant, filter);
  const { created, search, payment, ...others } = filter;
  if (![...Object.values(others), search, payment, created.from, created.to].some((part) => part !== null)) {
    return everyRefund(db, tenant, whole, page);
  }
  const isNarrow = search !== null || payment !== null;
  const low = isNarrow ? whole.low : Math.max(whole.low, whole.high - listLimits.searchedRows);
  const where = new Conditions([], [tenant.tenant]);
  const matched = matching(where, filter, { ...whole, low }, listLimits.countedRows + 1);
  // Materialized, so that a search through several tables runs once for both the count and the page.
  const rows = await db.query<{ id: string | null; total: number }>({
    text: `with found as materialized (${matched}),
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
    searchedBackTo:
      isCut && total <= listLimits.countedRows ? await timeAfter(db, tenant, 'refunds', low) : null,
  };
}

/** The range of sequence numbers for the view's time range. */
export const placesOfRefunds = (db: Database, tenant: Tenant, { created }: RefundFilter): Promise<Places> =>
  placesOf(db, tenant, created, { table: 'refunds', prefix: 're' });

/** The ids of the next matching refunds, newest first, for an export. */
export async function nextRefunds(
  db: Database,
  tenant: Tenant,
  filter: RefundFilter,
  places: Places,
  limit: number,
): Promise<{ readonly ids: readonly string[]; readonly last: number | null }> {
  const where = new Conditions([], [tenant.tenant]);
  const text = matching(where, filter, places, limit);
  const rows = await db.query<{ id: string; seq: number }>({
    text,
    values: where.values,
    scope: tenant,
  });
  return { ids: rows.map(({ id }) => id), last: rows.at(-1)?.seq ?? null };
}

/** A page of all refunds. Refunds are numbered densely, so the highest number is the count and a page is a range of numbers. */
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

/**
 * SQL of the ids and sequence numbers of the first matching refunds, newest first.
 * @param where conditions with only the tenant; the filters are added to it, and its values are those of the statement
 */
function matching(where: Conditions, filter: RefundFilter, places: Places, max: number): string {
  where
    .oneOf('r.status', filter.statuses)
    .add((p) => `r.currency = ${p}`, filter.currency)
    .add((p) => `r.payment_id = ${p}`, filter.payment)
    .add((p) => `coalesce(r.reason, 'none') = any(${p})`, filter.reasons)
    .add((p) => `r.created_at >= ${p}`, filter.created.from)
    .add((p) => `r.created_at < ${p}`, filter.created.to)
    .add((p) => `r.seq > ${p}`, places.low)
    .add((p) => `r.seq <= ${p}`, places.high);
  const newest = `order by seq desc limit ${where.value(max)}`;
  const conditions = filter.search === null ? ['true'] : found(where, filter.search);
  const legs = conditions.map(
    (condition) =>
      `(select r.id, r.seq from refunds r where r.tenant = $1 and ${where.sql} and ${condition} ${newest})`,
  );
  return `select * from (${legs.join('\nunion ')}) matched ${newest}`;
}

/**
 * SQL conditions of a search, one for each kind of match, so that each uses its own index. None has a limit of its own, because
 * the rows beyond it could be the only ones that the other filters match.
 */
function found(where: Conditions, search: SearchWords): string[] {
  switch (search.kind) {
    case 'id': {
      const id = where.value(search.id);
      return [search.of === 'payment' ? `r.payment_id = ${id}` : `r.id = ${id}`];
    }
    case 'last4':
      return [`r.payment_id in (${paymentsByCard(where.value(search.last4))})`];
    case 'text': {
      const text = where.value(search.text.exact);
      const references = search.text.spellings.map((spelling) => where.begins('reference', spelling));
      return [
        `r.upstream_id = ${text}`,
        `r.metadata::text <> '{}' and ${hasValue('r.metadata', text)}`,
        `r.payment_id in (${paymentsByReference(references)})`,
        ...(search.last4 === null ? [] : [`r.payment_id in (${paymentsByCard(where.value(search.last4))})`]),
      ];
    }
  }
}

/** Maps refund ids to the payments of the refunds. */
export async function paymentsOfRefunds(
  db: Database,
  tenant: Tenant,
  refunds: readonly string[],
): Promise<ReadonlyMap<string, RefundedPaymentRow>> {
  const rows = await db.query<RefundedPaymentRow & { refund_id: string }>({
    name: 'dashboard_payments_of_refunds',
    text: `select r.id as refund_id, ${paymentColumns} from refunds r ${joinPayment('r')}
           where r.tenant = $1 and r.id = any($2)`,
    values: [tenant.tenant, refunds],
    scope: tenant,
  });
  return new Map(rows.map(({ refund_id: id, ...payment }) => [id, payment]));
}
