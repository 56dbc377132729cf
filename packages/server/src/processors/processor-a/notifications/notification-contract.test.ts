import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { NotificationEffect } from '../../port/notifications.ts';
import { type JsonObject, jsonObject, jsonObjects } from '../../wire/json.ts';
import { upstreamDocument } from '../test-documents.ts';
import { connection as plain, run } from '../test-kit.ts';

const document = upstreamDocument('adyen-webhooks-v1');
const hmacKey = 'DFB1EB5485895CFA84146406857104ABB4CBCABDC8AAF103A624C8F6A3EAAB00';
const credentials = { ...plain.credentials, merchantAccount: 'YOUR_MERCHANT_ACCOUNT', hmacKey };

/** Effects of the documented examples. Every other example has no effect, or is about objects that are not ours. */
const kinds: Readonly<Record<string, NotificationEffect['kind']>> = {
  AUTHORISATION: 'payment_settled',
  CANCELLATION: 'payment_cancelled',
  TECHNICAL_CANCEL: 'payment_cancelled',
  CANCEL_OR_REFUND: 'payment_cancelled',
  CAPTURE_FAILED: 'payment_alert',
  NOTIFICATION_OF_FRAUD: 'payment_alert',
  OFFER_CLOSED: 'payment_offer_closed',
  REFUND: 'refund_settled',
  REFUND_FAILED: 'refund_settled',
  REFUNDED_REVERSED: 'refund_settled',
  RECURRING_CONTRACT: 'instrument_saved',
  CHARGEBACK: 'dispute',
  CHARGEBACK_REVERSED: 'dispute',
  DISPUTE_DEFENSE_PERIOD_ENDED: 'dispute',
  INFORMATION_SUPPLIED: 'dispute',
  ISSUER_RESPONSE_TIMEFRAME_EXPIRED: 'dispute',
  NOTIFICATION_OF_CHARGEBACK: 'dispute',
  PREARBITRATION_LOST: 'dispute',
  PREARBITRATION_WON: 'dispute',
  REQUEST_FOR_INFORMATION: 'dispute',
  SECOND_CHARGEBACK: 'dispute',
};

/** The example's item, changed to be about a payment or refund of ours, and signed. */
function ours(item: JsonObject): JsonObject {
  const eventCode = String(item.eventCode);
  const merchantReference = eventCode.startsWith('REFUND') ? 're_1' : 'pay_1';
  const amount = jsonObject(item.amount);
  const text = [
    item.pspReference,
    item.originalReference ?? '',
    item.merchantAccountCode,
    merchantReference,
    amount.value,
    amount.currency,
    eventCode,
    item.success,
  ].join(':');
  const hmacSignature = createHmac('sha256', Buffer.from(hmacKey, 'hex')).update(text).digest('base64');
  const additionalData = { ...jsonObject(item.additionalData), hmacSignature };
  return { ...item, merchantReference, additionalData };
}

describe.skipIf(!document.present)(document.title, () => {
  const examples = document.present ? Object.values(document.read().components.examples) : [];
  const deliveries = examples
    .map(({ value }) => jsonObject(value))
    .map(({ live, ...delivery }) => ({
      live,
      items: jsonObjects(delivery, 'notificationItems').map((one) => jsonObject(one.NotificationRequestItem)),
    }))
    .filter(({ items }) => items.length > 0)
    .map((delivery) => [String(delivery.items[0]?.eventCode), delivery] as const);

  it('has an example of every type in the table above', () => {
    expect(deliveries.map(([eventCode]) => eventCode)).toEqual(expect.arrayContaining(Object.keys(kinds)));
  });

  it.each(deliveries)('interprets the example of %s', async (eventCode, { live, items }) => {
    const connection = { ...plain, credentials, livemode: live === 'true' };
    const notificationItems = items.map((item) => ({ NotificationRequestItem: ours(item) }));
    const body = Buffer.from(JSON.stringify({ live, notificationItems }));
    const { outcome: intake } = await run([], (port) =>
      port.receiveNotification(connection, { headers: {}, body }),
    );
    expect(intake).toMatchObject({ kind: 'accepted', notifications: [{ type: eventCode }] });
    for (const one of intake.kind === 'accepted' ? intake.notifications : []) {
      const { outcome } = await run([], (port) => port.interpretNotification(connection, one.body));
      expect(outcome).toMatchObject([{ kind: kinds[eventCode] ?? 'none' }]);
    }
  });
});
