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

/** What the upstream takes for an acceptance beside a status of 2xx (Adyen docs, "Accept notifications"). */
export const notificationReceipt = '[accepted]';

const idLengthMax = 255;

const refused = (reason: string): NotificationIntake => ({ kind: 'refused', reason });

/**
 * Verifies a delivery: the sender's password where one is agreed, the environment, and of every item the merchant
 * account and the signature (Adyen docs, "Standard webhooks"). One wrong item refuses the whole delivery.
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

/** HTTP Basic authentication, asked for where the connection names a user (RFC 7617). */
function isAuthenticated(
  { notificationUser, notificationPassword = '' }: ProcessorConnection['credentials'],
  header: string | undefined,
): boolean {
  if (!notificationUser) return true;
  const presented = /^basic +(\S+)$/i.exec(header ?? '')?.[1] ?? '';
  const agreed = Buffer.from(`${notificationUser}:${notificationPassword}`);
  return sameBytes(Buffer.from(presented, 'base64'), agreed);
}

/** A repeat has the same event, reference and result, all of them signed (Adyen docs, "Handle duplicates"), and says the same. */
function received(item: JsonObject): ReceivedNotification | undefined {
  const type = jsonText(item, 'eventCode');
  const pspReference = jsonText(item, 'pspReference');
  const success = jsonText(item, 'success');
  const id = `${type}:${pspReference}:${success}${further(item)}`;
  const complete = type !== null && pspReference !== null && (success === 'true' || success === 'false');
  return complete && id.length <= idLengthMax ? { id, type, body: item } : undefined;
}

/**
 * What distinguishes events of one reference. A dispute has the same one at each of its stages, so that an inquiry and the
 * chargeback after it are answered alike, and a token has its own at each payment that saves it.
 */
function further(body: JsonObject): string {
  const item = notificationItem(body);
  const facts = item && disputeFacts(item);
  if (facts !== undefined) return `:${facts.state}:${facts.status}:${facts.respondBy?.toISOString() ?? ''}`;
  return item?.eventCode === 'RECURRING_CONTRACT' ? `:${item.originalReference ?? ''}` : '';
}
