import { type DueRows, dueTenants } from '../jobs/due-tenants.ts';
import type { Tenant } from '../jobs/fair-queue.ts';
import type { Lease } from '../operations/operation.ts';
import type { Database, Queryable } from '../store/database.ts';
import { ownerIsGone } from '../store/instance.ts';
import type { RefundRow } from './row.ts';
import { isRefundFree, refundColumns } from './store.ts';

const pendingRefunds: DueRows = {
  name: 'tenants_with_due_refunds',
  table: 'refunds',
  where: `d.status = 'pending'`,
  dueAt: 'd.next_try_at',
};

/** The tenants of which a refund may be due for recovery. */
export const tenantsWithDueRefunds = (db: Database) => dueTenants(db, pendingRefunds);

/** Makes due what a process was asking when it ended. @param now real time */
export async function releaseAbandonedRefunds(db: Queryable, now: Date): Promise<void> {
  await db.query({
    name: 'release_abandoned_refunds',
    scope: 'everybody',
    text: `update refunds set next_try_at = $1
           where status = 'pending' and asked = 'intent' and next_try_at > $1 and ${ownerIsGone('lease_owner')}
           returning account_id`,
    values: [now],
  });
}

/** Takes a tenant's pending refunds that are due longest and that nobody works on. @param now real time */
export async function takeDueRefunds(
  db: Queryable,
  { accountId, livemode }: Tenant,
  wish: { readonly lease: Lease; readonly now: Date; readonly most: number },
): Promise<RefundRow[]> {
  return db.query<RefundRow>({
    name: 'take_due_refunds',
    // A CTE runs once; a subquery with `limit` may run again for each row, and then takes more.
    text: `with due as materialized (
             select r.id as due_id from refunds r
             where r.account_id = $1 and r.livemode = $2 and r.status = 'pending' and r.next_try_at <= $5
               and ${isRefundFree('$5')}
             order by r.next_try_at limit $6 for update skip locked)
           update refunds set lease_owner = $3, lease_until = $4, next_try_at = $4,
             asked = case asked when 'unknown' then 'intent' else asked end
           from due where account_id = $1 and livemode = $2 and id = due_id
           returning ${refundColumns}`,
    values: [accountId, livemode, wish.lease.owner, wish.lease.until, wish.now, wish.most],
  });
}
