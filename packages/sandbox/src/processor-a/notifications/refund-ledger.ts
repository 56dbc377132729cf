import type { SandboxDatabase } from '../../lib/dependencies.ts';
import type { NotificationItem } from './notification-items.ts';

// A refund that was taken back stays so, also where the notification of its success is delivered once more.
const settleSql = `
update sandbox.refunds set status = $3 where merchant_account = $1 and upstream_id = $2 and status = 'pending'`;

const reverseSql = `
update sandbox.refunds set status = 'failed' where merchant_account = $1 and upstream_id = $2`;

/** Makes true in the ledger what a notification is about to tell of a refund; other events change nothing. */
export async function settleNotified(database: SandboxDatabase, item: NotificationItem): Promise<void> {
  const { merchantAccountCode, eventCode, success } = item;
  if (eventCode === 'REFUND') {
    const status = success === 'true' ? 'succeeded' : 'failed';
    await database.query(settleSql, [merchantAccountCode, item.pspReference, status]);
  }
  if (eventCode === 'REFUNDED_REVERSED') {
    await database.query(reverseSql, [merchantAccountCode, item.pspReference]);
  }
}
