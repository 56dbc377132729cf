import { ApiError, type PaymentListQuery } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import { type Connect, type MadeAtProcessor, whyUnreachable } from '../processors/port/connected.ts';
import type { UpstreamIds } from '../processors/port/port.ts';
import { listOf } from '../store/columns.ts';
import type { Database } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';
import { type PaymentRow, paymentColumns } from './payment.ts';
import type { PaymentStore } from './store.ts';

const columns = listOf(paymentColumns);

type ListedRow = Partial<PaymentRow> & { total: number };

/**
 * One page, newest first, with the number of all. Payments without an answer are left out; they are few, so their
 * number is counted exactly and the page is moved by it.
 */
export async function listPaymentRows(
  db: Database,
  tenant: Tenant,
  query: PaymentListQuery,
): Promise<{ rows: PaymentRow[]; total: number }> {
  const { page = 1, per_page: perPage = 20, ...filters } = query;
  const offset = (page - 1) * perPage;
  const rows =
    Object.keys(filters).length === 0
      ? await plainPage(db, tenant, offset, perPage)
      : await filteredPage(db, tenant, filters, offset, perPage);
  return {
    rows: rows.filter((row): row is PaymentRow & { total: number } => row.id != null),
    total: rows[0]?.total ?? 0,
  };
}

function plainPage(db: Database, tenant: Tenant, offset: number, perPage: number): Promise<ListedRow[]> {
  return db.query<ListedRow>({
    name: 'list_payments',
    text: `with k as (
             select last from counters where tenant = $1 and list = 'payments'),
           hidden as materialized (
             select seq from payments where tenant = $1 and status = 'processing')
           select k.last - (select count(*) from hidden) as total, p.* from k
           left join lateral (
             select ${columns}, seq from payments
             where tenant = $1 and status <> 'processing' and seq <= k.last - $2::bigint
             order by seq desc
             offset (select count(*) from hidden where seq > k.last - $2::bigint) limit $3) p on true
           order by p.seq desc`,
    values: [tenant.tenant, offset, perPage],
    scope: tenant,
  });
}

function filteredPage(
  db: Database,
  tenant: Tenant,
  filters: Omit<PaymentListQuery, 'page' | 'per_page'>,
  offset: number,
  perPage: number,
): Promise<ListedRow[]> {
  const conditions = ['tenant = $1', "status <> 'processing'"];
  const values: unknown[] = [tenant.tenant];
  const where = (condition: (parameter: string) => string, value: unknown) => {
    if (value === undefined) return;
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  where((p) => `status = ${p}`, filters.status);
  where((p) => `customer_id = ${p}`, filters.customer);
  where((p) => `reference = ${p}`, filters.reference);
  where((p) => `method_type = ${p}`, filters.payment_method_type);
  where((p) => `created_at >= to_timestamp(${p})`, filters.created_gte);
  where((p) => `created_at < to_timestamp(${p})`, filters.created_lt);
  values.push(offset, perPage);
  const matching = `from payments where ${conditions.join(' and ')}`;
  return db.query<ListedRow>({
    text: `select t.total, p.* from (select count(*) as total ${matching}) t
           left join lateral (
             select ${columns}, seq ${matching} order by seq desc
             offset $${values.length - 1} limit $${values.length}) p on true
           order by p.seq desc`,
    values,
    scope: tenant,
  });
}

/** The payment whose token is still to come, by the upstream's id of its order. */
export async function findPaymentByOrder(
  db: Database,
  tenant: Tenant,
  order: string,
): Promise<PaymentRow | undefined> {
  const [row] = await db.query<PaymentRow>({
    name: 'find_payment_by_order',
    text: `select ${columns} from payments
           where tenant = $1 and upstream ->> 'order' = $2
             and save_model is not null and payment_method_id is null`,
    values: [tenant.tenant, order],
    scope: tenant,
  });
  return row;
}

/** A captured payment, by the upstream's id of it. */
export async function findPaymentByCapture(
  db: Database,
  tenant: Tenant,
  upstream: UpstreamIds,
): Promise<PaymentRow | undefined> {
  const [row] = await db.query<PaymentRow>({
    name: 'find_payment_by_capture',
    text: `select ${columns} from payments
           where tenant = $1
             and (upstream ->> 'capture' = $2 or upstream ->> 'psp' = $3)`,
    values: [tenant.tenant, upstream.capture ?? null, upstream.psp ?? null],
    scope: tenant,
  });
  return row;
}

/** Whether any payment of the tenant has no answer yet. */
export async function hasUnanswered(db: Database, tenant: Tenant): Promise<boolean> {
  const rows = await db.query({
    name: 'has_unanswered_payment',
    text: `select 1 from payments where tenant = $1 and status = 'processing'
             and discarded_at is null limit 1`,
    values: [tenant.tenant],
    scope: tenant,
  });
  return rows.length > 0;
}

/** @throws ApiError `not_found`, also for another merchant's or the other mode's payment and while there is no answer */
export async function requirePayment(
  store: PaymentStore,
  context: AccountContext,
  id: string,
): Promise<PaymentRow> {
  const payment = /^pay_[a-z0-9]{24}$/.test(id) ? await store.find(context, id) : undefined;
  if (payment === undefined || payment.status === 'processing') {
    throw new ApiError('not_found', 'There is no payment with this id.');
  }
  return payment;
}

/** Why the processor cannot be asked about a payment or what belongs to it, in words; null where it can. */
export function processorRefusal(
  { connect }: { readonly connect: Connect },
  context: AccountContext,
  made: MadeAtProcessor,
): string | null {
  if (context.connection.connected) return whyUnreachable(connect(context), made);
  return 'The account has no active connection to its processor.';
}
