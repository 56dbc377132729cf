import type { Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';
import type { RefundRow } from './row.ts';

/** A refund as a reconciliation compares it (`reconcile/differences.ts`). */
export type RecordedRefundRow = Pick<RefundRow, 'id' | 'payment_id' | 'status' | 'amount'>;

/** Every refund of a tenant, in the order in which they began. */
export async function readRecordedRefunds(db: Queryable, tenant: Tenant): Promise<RecordedRefundRow[]> {
  return db.query<RecordedRefundRow>({
    text: `select id, payment_id, status, amount from refunds
           where tenant = $1 order by seq`,
    values: [tenant.tenant],
    scope: tenant,
  });
}
