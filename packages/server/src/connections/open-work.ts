import { isOperationOpen } from '../operations/sql.ts';
import type { Queryable } from '../store/database.ts';
import type { Tenant } from '../store/tenant.ts';

/** How many of each are open with one merchant account at the processor, and can be ended by it alone. */
export interface OpenWork {
  readonly holds: number;
  readonly payments_waiting_for_the_buyer: number;
  readonly payments_in_doubt: number;
  readonly refunds_pending: number;
  readonly disputes_open: number;
  readonly saved_methods: number;
}

/** @param identity of the merchant account; what was made before identities were kept counts as its own */
export async function openWorkAt(db: Queryable, tenant: Tenant, identity: string): Promise<OpenWork> {
  const own = (alias: string) =>
    `${alias}.tenant = $1 and (${alias}.processor_identity is null or ${alias}.processor_identity = $2)`;
  const [row] = await db.query<OpenWork>({
    text: `select
        (select count(*) from payments p where ${own('p')} and p.status = 'authorized') as holds,
        (select count(*) from payments p where ${own('p')} and p.status = 'requires_action')
          as payments_waiting_for_the_buyer,
        (select count(*) from operations o
           join payments p on p.tenant = o.tenant and p.id = o.subject
         where o.tenant = $1 and ${own('p')})
          as payments_in_doubt,
        (select count(*) from refunds r where ${own('r')} and r.status = 'pending') as refunds_pending,
        (select count(*) from disputes d where ${own('d')} and d.status in ('new', 'action_required', 'challenged'))
          as disputes_open,
        (select count(*) from payment_methods m
         where ${own('m')} and (m.removed_at is null or ${isOperationOpen('m')})) as saved_methods`,
    values: [tenant.tenant, identity],
    scope: tenant,
  });
  if (row === undefined) throw new Error('counting gives one row');
  return row;
}

const nouns: Readonly<Record<keyof OpenWork, readonly [one: string, more: string]>> = {
  holds: ['hold', 'holds'],
  payments_waiting_for_the_buyer: ['payment that waits for its buyer', 'payments that wait for their buyers'],
  payments_in_doubt: ['operation without an answer', 'operations without an answer'],
  refunds_pending: ['pending refund', 'pending refunds'],
  disputes_open: ['open dispute', 'open disputes'],
  saved_methods: ['saved method', 'saved methods'],
};

/** What is open in words, e.g. `1 hold, 2 pending refunds`; null where nothing is. */
export function describeOpenWork(open: OpenWork): string | null {
  const parts = Object.entries(nouns).flatMap(([name, [one, more]]) => {
    const count = open[name as keyof OpenWork];
    return count === 0 ? [] : [`${count} ${count === 1 ? one : more}`];
  });
  return parts.length === 0 ? null : parts.join(', ');
}

/**
 * Has everything that waits for its processor looked at soon: it may have waited for just these credentials.
 * @param at real time, when every process knows the credentials
 */
export async function retryOpenWork(tx: Queryable, tenant: Tenant, at: Date): Promise<void> {
  const values = [tenant.tenant, at];
  await tx.query({
    // A payment's operation counts its tries in the keys of what it asks.
    text: `update operations set next_try_at = least(next_try_at, $2),
             tries = case when kind in ('refund', 'track_refund', 'accept', 'defend', 'remove') then 0 else tries end
           where tenant = $1 and state = 'unknown'`,
    values,
    scope: tenant,
  });
  // Also what has used up its tries. One that was tried before stays one: it is taken alone, since it may end a process.
  await tx.query({
    text: `update processor_notifications set
             next_try_at = case state when 'parked' then $2 else least(next_try_at, $2) end,
             state = 'received', tries = least(tries, 1)
           where tenant = $1 and state in ('received', 'parked') and lease_owner = 0`,
    values,
    scope: tenant,
  });
}
