import type {
  NotificationIntake,
  NotificationRequest,
  ReceivedNotification,
} from '../../port/notifications.ts';
import type { ProcessorConnection } from '../../port/port.ts';
import { notExecuted } from '../../upstream/no-answer.ts';
import { type JsonObject, jsonObject, jsonObjects, jsonText, parsedJson } from '../../wire/json.ts';
import { disputeFacts } from './dispute-notification.ts';
import { notificationItem } from './notification-item.ts';
import { hmacKeyOf, isSigned, sameBytes } from './notification-signature.ts';

/** Response body that the upstream takes as an acceptance, besides a 2xx status (Adyen docs, "Accept notifications"). */
export const notificationReceipt = '[accepted]';

const maxIdLength = 255;

const refused = (reason: string): NotificationIntake => ({ kind: 'refused', reason });

/**
 * Verifies a notification: the sender's password if one is configured, the environment, and for every item the merchant
 * account and the signature (Adyen docs, "Standard webhooks"). One wrong item refuses the whole request.
 */
export async function receiveNotification(
  { credentials, livemode }: ProcessorConnection,
  { headers, body }: NotificationRequest,
): Promise<NotificationIntake> {
  const key = hmacKeyOf(credentials.hmacKey);
  const { merchantAccount } = credentials;
  if (key === undefined || !merchantAccount) return notExecuted('provider_error', 'credentials missing');
  if (!isAuthenticated(credentials, headers.authorization)) return refused('password differs');
  const delivery = jsonObject(parsedJson(Buffer.from(body)));
  const items = jsonObjects(delivery, 'notificationItems').map((one) =>
    jsonObject(one.NotificationRequestItem),
  );
  if (items.length === 0) return refused('malformed');
  if (jsonText(delivery, 'live') !== String(livemode)) return refused('environment differs');
  if (items.some((item) => item.merchantAccountCode !== merchantAccount)) {
    return refused('merchant account differs');
  }
  if (!items.every((item) => isSigned(item, key))) return refused('signature differs');
  const notifications = items.map(received).filter((one) => one !== undefined);
  return notifications.length === items.length ? { kind: 'accepted', notifications } : refused('malformed');
}

/** Checks HTTP Basic authentication, which is required if the connection has a user name (RFC 7617). */
function isAuthenticated(
  { notificationUser, notificationPassword = '' }: ProcessorConnection['credentials'],
  header: string | undefined,
): boolean {
  if (!notificationUser) return true;
  const presented = /^basic +(\S+)$/i.exec(header ?? '')?.[1] ?? '';
  const agreed = Buffer.from(`${notificationUser}:${notificationPassword}`);
  return sameBytes(Buffer.from(presented, 'base64'), agreed);
}

/**
 * Builds the notification's id. A repeat has the same event, reference and result, all of them signed (Adyen docs, "Handle
 * duplicates"), and the same content.
 */
function received(item: JsonObject): ReceivedNotification | undefined {
  const type = jsonText(item, 'eventCode');
  const pspReference = jsonText(item, 'pspReference');
  const success = jsonText(item, 'success');
  const id = `${type}:${pspReference}:${success}${idSuffix(item)}`;
  const complete = type !== null && pspReference !== null && (success === 'true' || success === 'false');
  return complete && id.length <= maxIdLength ? { id, type, body: item } : undefined;
}

/**
 * Distinguishes events with the same reference. A dispute has one reference in all of its stages, so an inquiry and the
 * chargeback after it would otherwise look like repeats. A token has one reference for all payments that save it.
 */
function idSuffix(body: JsonObject): string {
  const item = notificationItem(body);
  const facts = item && disputeFacts(item);
  if (facts !== undefined) return `:${facts.state}:${facts.status}:${facts.respondBy?.toISOString() ?? ''}`;
  return item?.eventCode === 'RECURRING_CONTRACT' ? `:${item.originalReference ?? ''}` : '';
}
