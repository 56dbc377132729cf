import type { UpstreamIds } from '../../processors/port/port.ts';
import type { PaymentDependencies } from '../dependencies.ts';
import { noted } from '../drafts.ts';
import type { PaymentRow } from '../payment.ts';

/** The new key of a charge that this process holds. */
interface ChangedKey {
  readonly upstreamKey: string;
  /** The upstream's ids of the payment that are known by now, if any. */
  readonly known: UpstreamIds;
  /** End of the lease (real time), which distinguishes it from a later lease of this process. */
  readonly leaseUntil: Date;
}

/**
 * Records a new upstream key for a charge that this process holds, before the processor is asked under that key.
 * @returns false if this process no longer holds the charge
 */
export async function changeKey(
  { db, lease }: PaymentDependencies,
  payment: PaymentRow,
  { upstreamKey, known, leaseUntil }: ChangedKey,
): Promise<boolean> {
  const rows = await db.query({
    name: 'change_operation_key',
    text: `update operations set upstream_key = $4, draft = case when $3::jsonb = '{}' then draft else ${noted} end
           where tenant = $1 and subject = $2 and state = 'intent' and kind = 'charge'
             and lease_owner = $5 and lease_until = $6 returning 1`,
    values: [payment.tenant, payment.id, JSON.stringify(known), upstreamKey, lease().owner, leaseUntil],
    scope: payment,
  });
  return rows.length > 0;
}

/**
 * Leaves a charge that this process holds to the merchant's retry. It was certainly not carried out, and never will be under its
 * key. A retry may begin it under a new key, until the operation, which becomes an `expire`, ends the payment.
 * @param retry the new key, and when recovery looks again (real time)
 */
export async function leaveToMerchantRetry(
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
