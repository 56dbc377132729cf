import { createHmac } from 'node:crypto';
import { unbatched } from '../../lib/batch.ts';
import type { SandboxDatabase, SandboxDependencies } from '../../lib/dependencies.ts';
import { columnsOf } from '../../lib/json.ts';
import type { NotificationSigner } from '../../outbox/outbox.ts';
import type { NotificationBody, NotificationItem } from './notification-items.ts';

/**
 * Returns the text that the signature of an item covers (Adyen docs, "Verify HMAC signatures"). The values
 * are joined without escaping.
 */
export function signedText(item: NotificationItem): string {
  return [
    item.pspReference,
    item.originalReference ?? '',
    item.merchantAccountCode,
    item.merchantReference,
    item.amount.value,
    item.amount.currency,
    item.eventCode,
    item.success,
  ].join(':');
}

/**
 * @param key in hexadecimal
 * @returns the signature in base64
 */
export function hmacSignature(text: string, key: string): string {
  return createHmac('sha256', Buffer.from(key, 'hex')).update(text).digest('base64');
}

// A reversed refund stays failed, even if the notification of its success is delivered once more.
const settleSql = `
with notified as (
  select * from unnest((select $1::text[]), (select $2::text[]), (select $3::text[])) as n (merchant_account, upstream_id, status)
), settled as (
  update sandbox.refunds r set status = notified.status from notified
  where r.merchant_account = notified.merchant_account and r.upstream_id = notified.upstream_id and r.status = 'pending'
  returning r.merchant_account, r.upstream_id, r.status
)
select n.upstream_id, coalesce(s.status, r.status) as status from notified n
left join settled s using (merchant_account, upstream_id)
left join sandbox.refunds r using (merchant_account, upstream_id)`;

const reverseSql = `
update sandbox.refunds set status = 'failed' where merchant_account = $1 and upstream_id = $2`;

interface NotifiedRefund {
  readonly merchantAccount: string;
  readonly upstreamId: string;
  readonly status: 'succeeded' | 'failed';
}

async function settleAll(
  database: SandboxDatabase,
  refunds: readonly NotifiedRefund[],
): Promise<readonly (string | undefined)[]> {
  const { rows } = await database.query(settleSql, [
    refunds.map(({ merchantAccount }) => merchantAccount),
    refunds.map(({ upstreamId }) => upstreamId),
    refunds.map(({ status }) => status),
  ]);
  const statuses = new Map(
    rows.map(columnsOf).map(({ upstream_id, status }) => [String(upstream_id), String(status)]),
  );
  return refunds.map(({ upstreamId }) => statuses.get(upstreamId));
}

/**
 * Updates the ledger to what a notification is about to report about a refund. Other events change nothing.
 * @returns false if the notification is no longer true, since the refund was settled otherwise after the
 *   batch was taken
 */
function settleNotified({ database, batch = unbatched }: Pick<SandboxDependencies, 'database' | 'batch'>) {
  const settle = batch(
    (refunds: readonly NotifiedRefund[]) => settleAll(database, refunds),
    ({ merchantAccount, upstreamId }) => `${merchantAccount} ${upstreamId}`,
  );
  return async ({ merchantAccountCode, eventCode, success, pspReference }: NotificationItem) => {
    if (eventCode === 'REFUND') {
      const status = success === 'true' ? 'succeeded' : 'failed';
      const current = await settle({
        merchantAccount: merchantAccountCode,
        upstreamId: pspReference,
        status,
      });
      return status === 'succeeded' || current !== 'succeeded';
    }
    if (eventCode === 'REFUNDED_REVERSED') {
      await database.query(reverseSql, [merchantAccountCode, pspReference]);
    }
    return true;
  };
}

/**
 * Signs Adyen's standard notifications. A refund has the status of a notification from its first delivery on.
 */
export function signNotificationA(
  deps: Pick<SandboxDependencies, 'database' | 'batch' | 'notifications'>,
): NotificationSigner {
  const { notifications } = deps;
  const settle = settleNotified(deps);
  return async ({ merchantAccount, body, flaw }, { url }) => {
    if (notifications === undefined) throw new Error('there is nowhere to send notifications to');
    const { hmacKey, user, password } = notifications.secrets(merchantAccount);
    const { live, notificationItems } = body as NotificationBody;
    const [{ NotificationRequestItem: item }] = notificationItems;
    if (!(await settle(item))) return null;
    const text = signedText(item);
    // A forger knows the signed text, but not the key.
    const signature = hmacSignature(flaw === 'bad_signature' ? `${text}:forged` : text, hmacKey);
    const signed = { ...item, additionalData: { hmacSignature: signature, ...item.additionalData } };
    return {
      method: 'POST',
      url,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
      },
      body: Buffer.from(JSON.stringify({ live, notificationItems: [{ NotificationRequestItem: signed }] })),
    };
  };
}
