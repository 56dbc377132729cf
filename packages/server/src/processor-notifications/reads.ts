import type { Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';

/**
 * Whether a notification about this tenant is about to be applied, which may change its refunds. Notifications that were
 * tried before do not count, because they may wait for hours.
 */
export async function hasUpdates(db: Queryable, tenant: Tenant): Promise<boolean> {
  const [row] = await db.query<{ some: boolean }>({
    text: `select exists (select from processor_notifications
             where tenant = $1 and state = 'received' and tries < 2) as some`,
    values: [tenant.tenant],
    scope: tenant,
  });
  return row?.some === true;
}

/**
 * Makes all unapplied notifications due, including those that used up their tries. A notification that was tried before keeps
 * that mark: it is taken alone, because it may crash the process.
 * @param at real time
 */
export async function retryNotifications(tx: Queryable, tenant: Tenant, at: Date): Promise<void> {
  await tx.query({
    text: `update processor_notifications set
             next_try_at = case state when 'parked' then $2 else least(next_try_at, $2) end,
             state = 'received', tries = least(tries, 1)
           where tenant = $1 and state in ('received', 'parked') and lease_owner = 0`,
    values: [tenant.tenant, at],
    scope: tenant,
  });
}
