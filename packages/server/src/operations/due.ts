import { type DueQuery, type DueRows, dueTenants } from '../jobs/due-tenants.ts';
import type { Queryable } from '../store/database.ts';
import { ownerIsGone } from '../store/instance.ts';
import type { Tenant } from '../store/tenant.ts';
import { type Lane, type Lease, lanes, type OpenOperation } from './operation.ts';
import { triesLeftToRetries } from './retry-plan.ts';
import { isFree, operationColumns } from './sql.ts';

/** SQL for whether an operation belongs to this lane. It repeats the condition of the lane's partial index. */
const isOf = (lane: Lane, o = 'd') => `${o}.kind in (${lanes[lane].map((kind) => `'${kind}'`).join(', ')})`;

const dueOperations = (lane: Lane): DueRows => ({
  name: `tenants_with_due_operations_of_${lane}`,
  table: 'operations',
  where: isOf(lane),
  dueAt: 'd.next_try_at',
});

/** How many of a tenant's charges one statement leaves to retries. */
const maxLeft = 500;

/** Finds the tenants that may have operations of this lane due for recovery. */
export const tenantsWithDueOperations = (
  db: Queryable,
  lane: Lane,
): ((query: DueQuery) => Promise<Tenant[]>) => dueTenants(db, dueOperations(lane));

/** Makes the operations due that a process was working on when it ended. @param now real time */
export async function releaseAbandonedOperations(db: Queryable, now: Date): Promise<void> {
  await db.query({
    name: 'release_abandoned_operations',
    scope: 'everybody',
    text: `update operations set next_try_at = $1
           where state = 'intent' and next_try_at > $1 and ${ownerIsGone('lease_owner')} returning tenant`,
    values: [now],
  });
}

/** SQL for whether the next attempt is left to the merchant's retry, which has the card data and so gets the best answer. */
const isLeftToRetries = (o: string) => `(${o}.kind = 'charge' and ${o}.tries < ${triesLeftToRetries})`;

/**
 * Counts a try of those due charges of a tenant that are left to the merchant's retry. It takes no lease, so that a retry
 * arriving at this moment finds them free.
 * @param now real time
 * @param nextTryAt when recovery looks again after that many tries, real time
 */
export async function leaveChargesToRetries(
  db: Queryable,
  { tenant }: Tenant,
  { now, nextTryAt }: { readonly now: Date; readonly nextTryAt: (tries: number) => Date },
): Promise<void> {
  await db.query({
    name: 'leave_charges_to_retries',
    text: `with due as materialized (
             select d.subject as due_subject from operations d
             where d.tenant = $1 and ${isOf('payments')} and d.next_try_at <= $2
               and ${isLeftToRetries('d')} and ${isFree('$2', 'd')}
             order by d.next_try_at limit ${maxLeft} for update skip locked)
           update operations o set state = 'unknown', tries = o.tries + 1,
             next_try_at = ($3::timestamptz[])[o.tries + 1]
           from due where o.tenant = $1 and o.subject = due.due_subject`,
    values: [tenant, now, Array.from({ length: triesLeftToRetries }, (_, tries) => nextTryAt(tries))],
    scope: { tenant },
  });
}

/**
 * Leases those operations of a tenant, in one lane, that have been due longest and that nobody works on, except charges that
 * are left to retries. They are not due again until the lease ends.
 * @param request `now`: real time
 */
export async function takeDueOperations(
  db: Queryable,
  { tenant }: Tenant,
  request: {
    readonly lane: Lane;
    readonly lease: Lease;
    readonly now: Date;
    readonly max: number;
  },
): Promise<OpenOperation[]> {
  return db.query<OpenOperation>({
    name: `take_due_operations_of_${request.lane}`,
    // A CTE runs once; a subquery with `limit` may run again for each row and would then take more rows.
    text: `with due as materialized (
             select d.subject as due_subject from operations d
             where d.tenant = $1 and d.next_try_at <= $4 and ${isOf(request.lane)}
               and not ${isLeftToRetries('d')} and ${isFree('$4', 'd')}
             order by d.next_try_at limit $5 for update skip locked)
           update operations o set state = 'intent', lease_owner = $2, lease_until = $3, next_try_at = $3
           from due where o.tenant = $1 and o.subject = due.due_subject
           returning ${operationColumns}`,
    values: [tenant, request.lease.owner, request.lease.until, request.now, request.max],
    scope: { tenant },
  });
}

/**
 * Makes unanswered operations due, since they may have waited for new credentials. Only some kinds start counting tries from 0
 * again: an operation on a payment keeps its count, because the upstream keys of its cancellations contain it.
 * @param at real time
 */
export async function retryOperations(tx: Queryable, tenant: Tenant, at: Date): Promise<void> {
  await tx.query({
    text: `update operations set next_try_at = least(next_try_at, $2),
             tries = case when kind in ('refund', 'track_refund', 'accept', 'defend', 'remove') then 0 else tries end
           where tenant = $1 and state = 'unknown'`,
    values: [tenant.tenant, at],
    scope: tenant,
  });
}
