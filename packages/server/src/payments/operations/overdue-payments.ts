import { tenantsWithTime } from '../../accounts/sql.ts';
import { backoff, type DueRows, dueTenants } from '../../jobs/due-tenants.ts';
import { listOf } from '../../store/columns.ts';
import type { Database, Queryable } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';
import { type PaymentRow, paymentColumns } from '../payment.ts';

const dueAt = 'greatest(d.confirm_by, d.expiry_try_at)';
const waitingPayments: DueRows = {
  name: 'tenants_with_overdue_payments',
  table: 'payments',
  where: `d.status = 'requires_action'`,
  dueAt,
  accountTime: true,
};

/** Finds the tenants that have payments whose confirmation window is over. */
export const tenantsWithOverduePayments = (db: Database) => dueTenants(db, waitingPayments);

/**
 * Takes a tenant's payments whose confirmation window is over. The try is counted before it is made, so a payment that cannot be
 * expired becomes due again with growing gaps. While another operation of the payment is open, the try does not count.
 * @param now real time
 */
export async function takeOverduePayments(
  db: Queryable,
  { tenant }: Tenant,
  { now, max }: { readonly now: Date; readonly max: number },
): Promise<PaymentRow[]> {
  return db.query<PaymentRow>({
    name: 'take_overdue_payments',
    text: `with due as materialized (
             select d.id as due_id, t.account_now, exists (
               select from operations o
               where o.tenant = $1 and o.subject = d.id) as is_busy
             from ${tenantsWithTime('$2')}
             join payments d on d.tenant = o.tenant
             where o.tenant = $1 and d.status = 'requires_action' and ${dueAt} <= t.account_now
             order by ${dueAt} limit $3 for update of d skip locked)
           update payments p set expiry_tries = p.expiry_tries + case when due.is_busy then 0 else 1 end,
             expiry_try_at = due.account_now + case when due.is_busy then ${backoff('0')} else ${backoff('p.expiry_tries')} end
           from due where p.tenant = $1 and p.id = due.due_id
           returning ${listOf(paymentColumns)}`,
    values: [tenant, now, max],
    scope: { tenant },
  });
}
