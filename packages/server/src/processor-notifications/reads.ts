import type { Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';

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
