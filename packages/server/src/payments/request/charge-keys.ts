import type { PaymentDependencies } from '../dependencies.ts';
import type { PaymentRow } from '../payment.ts';

/**
 * Records a new upstream key for a charge that this process holds, before the processor is asked under that key.
 * @param change `leaseUntil`: end of the lease (real time), which distinguishes it from a later lease of this process
 * @returns false if this process no longer holds the charge
 */
export async function changeKey(
  { db, lease }: PaymentDependencies,
  payment: PaymentRow,
  { upstreamKey, leaseUntil }: { readonly upstreamKey: string; readonly leaseUntil: Date },
): Promise<boolean> {
  const rows = await db.query({
    name: 'change_operation_key',
    text: `update operations set upstream_key = $3
           where tenant = $1 and subject = $2 and state = 'intent' and kind = 'charge'
             and lease_owner = $4 and lease_until = $5 returning 1`,
    values: [payment.tenant, payment.id, upstreamKey, lease().owner, leaseUntil],
    scope: payment,
  });
  return rows.length > 0;
}

/**
 * Leaves a charge that this process holds to the merchant's retry. It was certainly not carried out, and never will be under its
 * key. A retry may begin it under a new key, until the operation, which becomes an `expire`, ends the payment.
 * @param retry the new key, and when recovery looks again (real time)
 */
export async function awaitRetry(
  { db, lease }: PaymentDependencies,
  payment: PaymentRow,
  leaseUntil: Date,
  { upstreamKey, nextTryAt }: { readonly upstreamKey: string; readonly nextTryAt: Date },
): Promise<void> {
  await db.query({
    name: 'await_retry_of_operation',
    text: `update operations set kind = 'expire', upstream_key = $3, state = 'unknown', tries = tries + 1,
             next_try_at = $4
           where tenant = $1 and subject = $2 and state = 'intent' and kind = 'charge'
             and lease_owner = $5 and lease_until = $6`,
    values: [payment.tenant, payment.id, upstreamKey, nextTryAt, lease().owner, leaseUntil],
    scope: payment,
  });
}
