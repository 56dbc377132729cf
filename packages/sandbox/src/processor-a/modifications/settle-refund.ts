import type { SandboxDependencies } from '../../lib/dependencies.ts';
import { columnsOf, objectIn } from '../../lib/json.ts';
import { notificationId, planned } from '../notifications/notification-items.ts';
import { failedLater, type KeptRefund, refundEvent } from '../notifications/refund-events.ts';

const findSql = `
select upstream_id, received from sandbox.refunds
where merchant_account = $1 and reference = $2 and status = 'pending' and received ? 'paymentPspReference'
order by created_at, upstream_id limit 1`;

// The outcome decided now replaces the planned notifications of another outcome.
const settleSql = `
with settled as (
  update sandbox.refunds set status = $3
  where merchant_account = $1 and upstream_id = $2 and status = 'pending'
  returning upstream_id
), forgotten as (
  delete from sandbox.notifications
  where processor = 'processor_a' and merchant_account = $1 and id = any($4) and not sent
    and exists (select from settled)
), planned as (
  insert into sandbox.notifications as known (processor, merchant_account, id, due_at, body)
  select 'processor_a', $1, $5, $6, $7 where exists (select from settled)
  on conflict (processor, merchant_account, id) do update
    set due_at = excluded.due_at, body = excluded.body
    where not known.sent
)
select upstream_id from settled`;

async function findPending(
  { database }: Pick<SandboxDependencies, 'database'>,
  merchantAccount: string,
  reference: string,
): Promise<KeptRefund | undefined> {
  const { rows } = await database.query(findSql, [merchantAccount, reference]);
  if (rows.length === 0) return undefined;
  const { upstream_id, received } = columnsOf(rows[0]);
  const { currency, value } = objectIn(received, 'amount');
  return {
    upstreamId: String(upstream_id),
    reference,
    paymentPspReference: String(columnsOf(received).paymentPspReference),
    amount: { currency: String(currency), value: Number(value) },
  };
}

/** Returns the ids of the notifications that an outcome makes untrue. */
function untrue(upstreamId: string, outcome: 'succeeded' | 'failed'): readonly string[] {
  return outcome === 'succeeded'
    ? [notificationId('REFUND', upstreamId, false)]
    : [notificationId('REFUND', upstreamId, true), notificationId('REFUNDED_REVERSED', upstreamId, true)];
}

/**
 * Decides a pending refund, and plans its notification for now.
 *
 * @param refundReference the merchant's own reference of the refund
 * @returns false if no refund with this reference is pending at this processor
 */
export async function settleRefundA(
  deps: Pick<SandboxDependencies, 'database' | 'now'>,
  merchantAccount: string,
  refundReference: string,
  outcome: 'succeeded' | 'failed',
): Promise<boolean> {
  const refund = await findPending(deps, merchantAccount, refundReference);
  if (refund === undefined) return false;
  const { upstreamId } = refund;
  const now = await deps.now(merchantAccount);
  const event = refundEvent(refund, outcome === 'failed' ? failedLater : undefined);
  const { id, dueAt, body } = planned(event, { merchantAccount, at: now, dueAt: now });
  const { rows } = await deps.database.query(settleSql, [
    merchantAccount,
    upstreamId,
    outcome,
    untrue(upstreamId, outcome),
    id,
    dueAt,
    JSON.stringify(body),
  ]);
  return rows.length === 1;
}
