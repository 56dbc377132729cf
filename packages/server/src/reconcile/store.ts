import type { Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';
import type { RecordedPayment, RecordedRefund } from './differences.ts';

/** Every payment of a tenant as the comparison needs it. @param now account time */
export async function readRecordedPayments(
  db: Queryable,
  tenant: Tenant,
  now: Date,
): Promise<RecordedPayment[]> {
  return db.query<RecordedPayment>({
    text: `select p.id, p.status, p.amount, p.currency,
             p.status = 'processing' or exists (
               select from operations o
               where o.tenant = p.tenant and o.subject = p.id) as open,
             coalesce(p.authorization_expires <= $2, false) as lapsed
           from payments p where p.tenant = $1 and p.discarded_at is null order by p.seq`,
    values: [tenant.tenant, now],
    scope: tenant,
  });
}

export async function readRecordedRefunds(db: Queryable, tenant: Tenant): Promise<RecordedRefund[]> {
  return db.query<RecordedRefund>({
    text: `select id, payment_id, status, amount from refunds
           where tenant = $1 order by seq`,
    values: [tenant.tenant],
    scope: tenant,
  });
}

/** Whether a processor's word about this tenant is still to be applied: refunds may be about to change. */
export async function hasUpdates(db: Queryable, tenant: Tenant): Promise<boolean> {
  const [row] = await db.query<{ some: boolean }>({
    text: `select exists (select from processor_notifications
             where tenant = $1 and state = 'received') as some`,
    values: [tenant.tenant],
    scope: tenant,
  });
  return row?.some === true;
}
