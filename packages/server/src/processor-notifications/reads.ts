import type { Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';

/**
 * Whether a processor's word about this tenant is about to be applied: refunds may change. One that was tried before may wait for hours,
 * and excuses nothing.
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
 * Makes due what is to be applied, also what has used up its tries. One that was tried before stays one: it is taken alone,
 * since it may end a process.
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
