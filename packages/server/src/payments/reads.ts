import { ApiError, type PaymentListQuery } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import { placeOfPage } from '../lib/list.ts';
import { hasDraft } from '../operations/sql.ts';
import { type Connect, type HasProcessorIdentity, unreachableReason } from '../processors/port/connected.ts';
import type { UpstreamIds } from '../processors/port/port.ts';
import { listOf, rowsAsJson } from '../store/columns.ts';
import type { Database, Queryable } from '../store/database.ts';
import { Conditions, type NumberedRows } from '../store/list.ts';
import { numberedList } from '../store/numbered-list.ts';
import type { Tenant } from '../store/tenant.ts';
import { draftsOfTenant, numbersNotShown } from './drafts.ts';
import { type PaymentRow, paymentColumns, type ShownPayment, shownColumns } from './payment.ts';
import type { PaymentStore } from './store.ts';

const columns = listOf(paymentColumns);

const listed: NumberedRows = {
  list: 'payments',
  table: 'payments',
  columns: `${columns}, seq`,
  hidden: { numbers: numbersNotShown },
};
/** Returns a reader of one page, newest first, with the total number. Payments without an answer are left out. */
const pagesOf =
  <Row extends { readonly id: string }>(read: ReturnType<typeof numberedList<Row>>) =>
  (db: Database, tenant: Tenant, { page, per_page, ...filters }: PaymentListQuery) => {
    const where = Object.keys(filters).length === 0 ? null : matching(tenant, filters);
    return read(db, tenant, placeOfPage({ page, per_page }), where);
  };

/** Lists payments with all columns. */
export const listPaymentRows = pagesOf(numberedList<PaymentRow>({ name: 'list_payments', ...listed }));

/** Lists payments with only the columns that the API shows. */
export const listShownPayments = pagesOf(
  numberedList<ShownPayment>({
    name: 'list_shown_payments',
    ...listed,
    columns: `${listOf(shownColumns)}, seq`,
    asJson: rowsAsJson(shownColumns),
  }),
);

function matching(tenant: Tenant, filters: Omit<PaymentListQuery, 'page' | 'per_page'>): Conditions {
  const where = new Conditions(['tenant = $1'], [tenant.tenant]);
  where.add((p) => `status = ${p}`, filters.status);
  where.add((p) => `customer_id = ${p}`, filters.customer);
  where.add((p) => `reference = ${p}`, filters.reference);
  where.add((p) => `method_type = ${p}`, filters.payment_method_type);
  where.add((p) => `payment_link_id = ${p}`, filters.payment_link);
  where.add((p) => `created_at >= to_timestamp(${p})`, filters.created_gte);
  where.add((p) => `created_at < to_timestamp(${p})`, filters.created_lt);
  return where;
}

/** Finds, by the upstream's order id, a payment that still waits for its token. Skips payments that have no answer yet. */
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

/** Finds a payment by the upstream's id of its capture or of the payment itself, even if it has no answer yet. */
export async function findPaymentByCapture(
  db: Database,
  tenant: Tenant,
  upstream: UpstreamIds,
): Promise<PaymentRow | undefined> {
  const [row] = await db.query<PaymentRow>({
    name: 'find_payment_by_capture',
    text: `select ${columns} from payments
           where tenant = $1
             and (upstream ->> 'capture' = $2 or upstream ->> 'psp' = $3)
           union all select d.* from (${draftsOfTenant}) d
           where upstream ->> 'capture' = $2 or upstream ->> 'psp' = $3`,
    values: [tenant.tenant, upstream.capture ?? null, upstream.psp ?? null],
    scope: tenant,
  });
  return row;
}

/** Finds the id of the newest payment that has one of these upstream ids. Skips payments that have no answer yet. */
export async function findPaymentId(
  db: Database,
  tenant: Tenant,
  { psp, order, authorization, capture }: UpstreamIds,
): Promise<string | undefined> {
  const known = Object.entries({ psp, order, authorization, capture }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const [row] = await db.query<{ id: string }>({
    name: 'find_payment_by_upstream_ids',
    text: `select id from payments p where tenant = $1 and exists (
             select from unnest($2::text[], $3::text[]) as u (name, value) where p.upstream ->> u.name = u.value)
           order by seq desc limit 1`,
    values: [tenant.tenant, known.map(([name]) => name), known.map(([, id]) => id)],
    scope: tenant,
  });
  return row?.id;
}

/** Finds the tenant of a payment, with its status and amount, for the operator, who names only the payment. */
export async function findPaymentOfAnyTenant(
  db: Database,
  id: string,
): Promise<(Tenant & { readonly status: string; readonly amount: number }) | undefined> {
  const [row] = await db.query<Tenant & { status: string; amount: number }>({
    text: `select t.tenant, t.account_id as "accountId", t.livemode, p.status, p.amount from tenants t
           join payments p on p.tenant = t.tenant and p.id = $1
           union all
           select t.tenant, t.account_id, t.livemode, 'processing', (o.draft ->> 'amount')::bigint from tenants t
           join operations o on o.tenant = t.tenant and o.subject = $1 and ${hasDraft()}
           union all
           select t.tenant, t.account_id, t.livemode, 'processing', (d.draft ->> 'amount')::bigint from tenants t
           join discarded_payments d on d.tenant = t.tenant and d.id = $1`,
    values: [id],
    scope: 'everybody',
  });
  return row;
}

/** A payment as a reconciliation compares it (`reconcile/differences.ts`). */
export interface RecordedPaymentRow extends Pick<PaymentRow, 'id' | 'status' | 'amount' | 'currency'> {
  /** Whether an operation on it is open: the processor's answer is not known yet. */
  readonly open: boolean;
  /** Whether its hold has expired. */
  readonly lapsed: boolean;
}

/** Reads every payment of a tenant except discarded ones. @param now account time */
export async function readRecordedPayments(
  db: Queryable,
  tenant: Tenant,
  now: Date,
): Promise<RecordedPaymentRow[]> {
  return db.query<RecordedPaymentRow>({
    text: `select p.id, p.status, p.amount, p.currency,
             exists (
               select from operations o
               where o.tenant = p.tenant and o.subject = p.id) as open,
             coalesce(p.authorization_expires <= $2, false) as lapsed
           from payments p where p.tenant = $1
           union all select d.id, d.status, d.amount, d.currency, true, false from (${draftsOfTenant}) d
           order by id`,
    values: [tenant.tenant, now],
    scope: tenant,
  });
}

/** @throws ApiError `not_found`, also while there is no answer, and for a payment of another merchant or of the other mode */
export async function requirePayment(
  store: PaymentStore,
  context: AccountContext,
  id: string,
): Promise<PaymentRow> {
  return found(isPaymentId(id) ? await store.findAnswered(context, id) : undefined);
}

/** @throws ApiError `not_found`, as `requirePayment` */
export async function requireShownPayment(
  store: Pick<PaymentStore, 'findShown'>,
  context: AccountContext,
  id: string,
): Promise<ShownPayment> {
  return found(isPaymentId(id) ? await store.findShown(context, id) : undefined);
}

const isPaymentId = (id: string) => /^pay_[a-z0-9]{24}$/.test(id);

function found<Row>(payment: Row | undefined): Row {
  if (payment === undefined) throw new ApiError('not_found', 'There is no payment with this id.');
  return payment;
}

/** Why the processor cannot be asked about a payment or something of it, as text for people; null if it can. */
export function processorRefusal(
  { connect }: { readonly connect: Connect },
  context: AccountContext,
  made: HasProcessorIdentity,
): string | null {
  if (context.connection.connected) return unreachableReason(connect(context), made);
  return 'The account has no active connection to its processor.';
}

/** How much of a payment was refunded or is about to be, in minor units. */
export async function refundedOf(db: Queryable, tenant: Tenant, paymentId: string): Promise<number> {
  const [row] = await db.query<{ refunded: number }>({
    name: 'dispute_refunded_of_payment',
    text: `select refunded_amount as refunded from payments where tenant = $1 and id = $2`,
    values: [tenant.tenant, paymentId],
    scope: tenant,
  });
  return row?.refunded ?? 0;
}

/** How many of these payments are `succeeded` or `authorized`. */
export async function countPaid(db: Queryable, tenant: Tenant, ids: readonly string[]): Promise<number> {
  const [row] = await db.query<{ count: number }>({
    name: 'count_paid_payments',
    text: `select count(*)::int as count from payments
           where tenant = $1 and id = any ($2) and status in ('succeeded', 'authorized')`,
    values: [tenant.tenant, ids],
    scope: tenant,
  });
  return row?.count ?? 0;
}

export interface NewestPayment {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly method_type: string;
  readonly last4: string | null;
  readonly reference: string | null;
  readonly created_at: Date;
  readonly confirm_by: Date | null;
  readonly buyer_done: boolean;
}

const newest = `select id, amount, currency, method_type, last4, reference, created_at,
    case when status = 'requires_action' then confirm_by end as confirm_by,
    status = 'requires_action' and buyer_done_at is not null as buyer_done
  from payments where tenant = $1 and status = $2 order by seq desc limit $3`;

/** The newest payments with one status, as the sandbox shows them. @param tenant in test mode @param max how many at most */
export const newestPayments = (
  db: Queryable,
  tenant: Tenant,
  status: 'requires_action' | 'succeeded',
  max: number,
): Promise<NewestPayment[]> =>
  db.query<NewestPayment>({
    name: 'sandbox_payments',
    text: newest,
    values: [tenant.tenant, status, max],
    scope: tenant,
  });

/** How many holds pass the end of their guarantee, and how many expire, between two times. @param tenant in test mode */
export async function countHolds(
  db: Queryable,
  tenant: Tenant,
  from: Date,
  to: Date,
): Promise<{ unguaranteed: number; expired: number }> {
  const [row] = await db.query<{ unguaranteed: number; expired: number }>({
    name: 'sandbox_holds',
    text: `select count(*) filter (where authorization_guaranteed_until between $2 and $3) as unguaranteed,
             count(*) filter (where authorization_expires between $2 and $3) as expired
           from payments where tenant = $1 and status = 'authorized'`,
    values: [tenant.tenant, from, to],
    scope: tenant,
  });
  return row ?? { unguaranteed: 0, expired: 0 };
}
