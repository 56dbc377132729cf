import type { Queryable } from '../store/database.ts';
import type { RecordedPayment, RecordedRefund } from './differences.ts';

interface Tenant {
  readonly accountId: string;
  readonly livemode: boolean;
}

/** Every payment of an account and mode as the comparison needs it. @param now account time */
export async function readRecordedPayments(
  db: Queryable,
  tenant: Tenant,
  now: Date,
): Promise<RecordedPayment[]> {
  return db.query<RecordedPayment>({
    text: `select p.id, p.status, p.amount, p.currency,
             p.status = 'processing' or exists (
               select from operations o
               where o.account_id = p.account_id and o.livemode = p.livemode and o.subject = p.id) as open,
             coalesce(p.authorization_expires <= $3, false) as lapsed
           from payments p where p.account_id = $1 and p.livemode = $2 and p.discarded_at is null order by p.seq`,
    values: [tenant.accountId, tenant.livemode, now],
    scope: tenant,
  });
}

export async function readRecordedRefunds(db: Queryable, tenant: Tenant): Promise<RecordedRefund[]> {
  return db.query<RecordedRefund>({
    text: `select id, payment_id, status, amount from refunds
           where account_id = $1 and livemode = $2 order by seq`,
    values: [tenant.accountId, tenant.livemode],
    scope: tenant,
  });
}

/** Whether a processor's word about this account and mode is still to be applied: refunds may be about to change. */
export async function hasUpdates(db: Queryable, tenant: Tenant): Promise<boolean> {
  const [row] = await db.query<{ some: boolean }>({
    text: `select exists (select from processor_notifications
             where account_id = $1 and livemode = $2 and state = 'received') as some`,
    values: [tenant.accountId, tenant.livemode],
    scope: tenant,
  });
  return row?.some === true;
}
