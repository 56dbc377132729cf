import type { Database, Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';

/**
 * SQL: whether somebody has yet to deal with a refund that failed. It is dealt with by a later refund of at least as much,
 * which has an outcome of its own, or where somebody says so.
 */
export const isUnresolved = (refund: string): string =>
  `${refund}.status = 'failed' and ${refund}.acknowledged_at is null and not exists (
    select from refunds later where later.tenant = ${refund}.tenant and later.payment_id = ${refund}.payment_id
      and later.seq > ${refund}.seq and later.amount >= ${refund}.amount)`;

/** Ids of a payment's refunds that failed and that nobody has dealt with, oldest first. */
export async function unresolvedRefundsOf(
  db: Database,
  tenant: Tenant,
  paymentId: string,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>({
    name: 'unresolved_refunds_of_payment',
    text: `select id from refunds r where r.tenant = $1 and r.payment_id = $2 and ${isUnresolved('r')} order by r.seq`,
    values: [tenant.tenant, paymentId],
    scope: tenant,
  });
  return rows.map(({ id }) => id);
}

/**
 * Somebody says that a failed refund is dealt with.
 * @param acknowledgement `at` account time
 * @returns false where there is no such open failure
 */
export async function acknowledgeFailure(
  db: Queryable,
  tenant: Tenant,
  { refundId, by, at }: { readonly refundId: string; readonly by: string; readonly at: Date },
): Promise<boolean> {
  const rows = await db.query({
    name: 'acknowledge_failed_refund',
    text: `update refunds set acknowledged_at = $3, acknowledged_by = $4
           where tenant = $1 and id = $2 and status = 'failed' and acknowledged_at is null returning 1`,
    values: [tenant.tenant, refundId, at, by],
    scope: tenant,
  });
  return rows.length === 1;
}
