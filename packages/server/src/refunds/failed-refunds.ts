import type { Database, Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';

/**
 * SQL for whether a refund failed and is not resolved. A person resolves it by acknowledging it, or a later refund of at least
 * the same amount does, which has an outcome of its own.
 */
export const isUnresolved = (refund: string): string =>
  `${refund}.status = 'failed' and ${refund}.acknowledged_at is null and not exists (
    select from refunds later where later.tenant = ${refund}.tenant and later.payment_id = ${refund}.payment_id
      and later.seq > ${refund}.seq and later.amount >= ${refund}.amount)`;

/** Ids of a payment's failed refunds that nobody has resolved, oldest first. */
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
 * Records that a person acknowledges a failed refund.
 * @param acknowledgement `at` account time
 * @returns false if the refund did not fail or is acknowledged already
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
