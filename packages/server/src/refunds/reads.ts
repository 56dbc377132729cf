import { isOperationOpen } from '../operations/sql.ts';
import { joinPayment } from '../payments/sql.ts';
import { listOf } from '../store/columns.ts';
import type { Queryable } from '../store/database.ts';
import { hasValue, type WaitingRows } from '../store/list.ts';
import { parameterRows } from '../store/sql.ts';
import type { Tenant } from '../store/tenant.ts';
import { isUnresolved } from './failed-refunds.ts';
import type { PaymentKey } from './refundable.ts';
import { type RefundRow, refundColumns } from './row.ts';

/** Finds refunds by key. @returns them in the order of the keys; undefined for a key without a refund */
export async function findRefunds(
  db: Queryable,
  keys: readonly Pick<RefundRow, 'tenant' | 'id'>[],
): Promise<(RefundRow | undefined)[]> {
  const rows = await db.query<RefundRow & { n: number }>({
    name: 'find_refunds',
    generic: true,
    text: `select s.n::int, ${listOf(refundColumns)} from ${parameterRows('int', 'text')}
             with ordinality as s (tenant, id, n) join refunds using (tenant, id)`,
    values: [keys.map((key) => key.tenant), keys.map((key) => key.id)],
    scope: keys,
  });
  const found = new Map(rows.map(({ n, ...row }) => [n, row]));
  return keys.map((_key, index) => found.get(index + 1));
}

/** Finds the tenant of a refund by the refund's id alone, for the operator. */
export async function findRefundOfAnyTenant(db: Queryable, id: string): Promise<Tenant | undefined> {
  const [row] = await db.query<Tenant>({
    text: `select t.tenant, t.account_id as "accountId", t.livemode from tenants t
           join refunds r on r.tenant = t.tenant and r.id = $1`,
    values: [id],
    scope: 'everybody',
  });
  return row;
}

/** The columns of a refund that reconciliation compares (`reconcile/differences.ts`). */
export type RecordedRefundRow = Pick<RefundRow, 'id' | 'payment_id' | 'status' | 'amount' | 'currency'>;

/** Every refund of a tenant, oldest first. */
export async function readRecordedRefunds(db: Queryable, tenant: Tenant): Promise<RecordedRefundRow[]> {
  return db.query<RecordedRefundRow>({
    text: `select id, payment_id, status, amount, currency from refunds
           where tenant = $1 order by seq`,
    values: [tenant.tenant],
    scope: tenant,
  });
}

export interface PendingRefund {
  readonly id: string;
  readonly payment: string;
  readonly amount: number;
  readonly currency: string;
  readonly created_at: Date;
}

/** The newest pending refunds. @param tenant in test mode @param max maximum number of refunds */
export const newestPendingRefunds = (db: Queryable, tenant: Tenant, max: number): Promise<PendingRefund[]> =>
  db.query<PendingRefund>({
    name: 'sandbox_refunds',
    text: `select id, payment_id as payment, amount, currency, created_at from refunds
           where tenant = $1 and status = 'pending' order by seq desc limit $2`,
    values: [tenant.tenant, max],
    scope: tenant,
  });

/** SQL that counts the open refunds of a merchant account. @param own SQL for whether the row of an alias belongs to it */
export const openRefunds = (own: (alias: string) => string) => ({
  refunds_pending: `(select count(*) from refunds r where r.tenant = $1 and ${own('r')} and r.status = 'pending')`,
});

/** SQL of the payment id of a refund. `$1` is the tenant. */
export const paymentOfRefund = (id: string): string =>
  `select payment_id from refunds where tenant = $1 and id = ${id}`;

/** SQL of the ids of payments with a refund that has a text as its processor id or in its metadata. `$1` is the tenant. */
export const paymentsByRefund = (text: string): string =>
  `select payment_id from refunds where tenant = $1 and (upstream_id = ${text}
    or (metadata::text <> '{}' and ${hasValue('metadata', text)}))`;

/** SQL of the customer of a refund's payment. `$1` is the tenant. */
export const customerOfRefund = (id: string): string =>
  `select p.customer_id as id from refunds r ${joinPayment('r')} where r.tenant = $1 and r.id = ${id}`;

/** SQL of the sum of a payment's pending refunds, in minor units. `$1` is the tenant. */
export const pendingRefundsOf = (payment: string): string =>
  `coalesce((select sum(r.amount) from refunds r where r.tenant = $1
     and r.payment_id = ${payment} and r.status = 'pending'), 0)::bigint`;

/** Whether a payment has a pending refund. */
export async function hasPendingRefund(db: Queryable, { tenant, id }: PaymentKey): Promise<boolean> {
  const rows = await db.query({
    name: 'has_pending_refund',
    text: `select 1 from refunds where tenant = $1 and payment_id = $2 and status = 'pending' limit 1`,
    values: [tenant, id],
    scope: { tenant },
  });
  return rows.length > 0;
}

const isUnanswered = isOperationOpen('refunds', `o.kind = 'refund' and o.state = 'unknown'`);

/** Refunds that have been pending since `$2` or longer, or whose request got no answer. `$1` is the tenant. */
export const stuckRefunds: WaitingRows = {
  name: 'attention_refunds',
  columns: `id, payment_id as payment, amount, currency, ${isUnanswered} as unanswered, created_at`,
  matching: `from refunds where tenant = $1 and status = 'pending'
    and (created_at <= $2 or ${isUnanswered})`,
  order: 'seq',
};

/** SQL for whether the tenant has a refund that is pending or succeeded. `$1` is the tenant. */
export const hasRefunded = `exists (select from refunds where tenant = $1
  and status in ('pending', 'succeeded'))`;

/** SQL that joins a refund as `r`. `$1` is the tenant. @param id SQL of the refund's id */
export const joinRefundById = (id: string): string => `join refunds r on r.tenant = $1 and r.id = ${id}`;

/** SQL that selects columns of all succeeded refunds, for sums. `$1` is the tenant. */
export const succeededRefunds = (columns: string): string =>
  `select ${columns} from refunds where tenant = $1 and status = 'succeeded'`;

/**
 * SQL that finds the refund that a line of a settlement report refers to, by the processor's id (`upstream_reference`) or our id
 * (`named_refund`), each with a lookup of its own. A refund that failed after it had succeeded was given and came back, so it is
 * not `never_given`.
 */
export const refundOfReport = (
  line: string,
): string => `select f.id, f.payment_id, f.amount, f.currency, f.never_given, f.pending from (
  ${[`r.upstream_id = ${line}.upstream_reference`, `r.id = ${line}.named_refund`]
    .map(
      (found) =>
        `select r.id, r.payment_id, r.amount, r.currency, r.status = 'failed' and r.event_count < 2 as never_given,
           r.status = 'pending' as pending, r.seq
         from refunds r where r.tenant = ${line}.tenant and ${found}`,
    )
    .join(' union all ')}) f
  order by f.seq limit 1`;

/** SQL of the ids of a payment's refunds. */
export const refundsOf = (tenant: string, payment: string): string =>
  `select id from refunds where tenant = ${tenant} and payment_id = ${payment}`;

/** Failed refunds that nobody has resolved, the newest first. `$1` is the tenant. */
export const failedRefunds: WaitingRows = {
  name: 'attention_failed_refunds',
  columns: 'r.id, r.payment_id as payment, r.amount, r.currency, r.failure_message as reason, r.created_at',
  matching: `from refunds r where r.tenant = $1 and ${isUnresolved('r')}`,
  order: 'r.seq desc',
};

/** SQL for whether a payment has a failed refund that nobody has resolved. `$1` is the tenant. */
export const hasFailedRefund = (payment: string): string =>
  `exists (select from refunds r where r.tenant = $1 and r.payment_id = ${payment} and ${isUnresolved('r')})`;
