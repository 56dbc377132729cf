import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { disputeDirectives } from '../../directives/dispute-directives.ts';
import { createTestDatabase, type TestDatabase } from '../../test-database.ts';
import { createTestClient, type Delivered, payment } from '../test-client.ts';
import { publishedDocument } from '../test-document.ts';

const { missing, note, problems, paths } = publishedDocument('adyen-webhooks-v1.openapi.json');

const schemas: Readonly<Record<string, string>> = {
  AUTHORISATION: 'AuthorisationNotificationRequest',
  RECURRING_CONTRACT: 'RecurringContractNotificationRequest',
  TECHNICAL_CANCEL: 'ModificationNotificationRequest',
  CANCELLATION: 'CancellationNotificationRequest',
  CANCEL_OR_REFUND: 'CancelOrRefundNotificationRequest',
  CAPTURE: 'CaptureNotificationRequest',
  AUTHORISATION_ADJUSTMENT: 'AuthorisationAdjustmentNotificationRequest',
  REFUND: 'RefundNotificationRequest',
  REFUNDED_REVERSED: 'ModificationNotificationRequest',
};

/** Events whose schema lacks the signature field, although the document's own sample of them is signed. */
const unsigned = new Set(['RECURRING_CONTRACT']);

function problemsOf({ item, body }: Delivered): string[] {
  const { hmacSignature: _signature, ...additionalData } = item.additionalData;
  const shown = unsigned.has(item.eventCode) ? { ...item, additionalData } : item;
  return problems(schemas[item.eventCode] ?? 'none', {
    ...body,
    notificationItems: [{ NotificationRequestItem: shown }],
  });
}

describe.skipIf(missing)(`notifications keep to the published document${note}`, () => {
  let db: TestDatabase;

  beforeAll(async () => {
    db = await createTestDatabase();
  });
  afterAll(() => db.drop());

  test('the validator does refuse', () => {
    expect(problems('AuthorisationNotificationRequest', { live: true })).not.toEqual([]);
  });

  test('for holds that are changed and captured', async () => {
    const client = createTestClient(db.pool);
    const account = 'holds';
    const { json } = await client.pay(payment(account, {}, { additionalData: { manualCapture: 'true' } }));
    const body = { merchantAccount: account, reference: 'taken', amount: { value: 2000, currency: 'EUR' } };
    await client.post(`/payments/${json.pspReference}/amountUpdates`, body);
    await client.post(`/payments/${json.pspReference}/captures`, body);
    await client.post(`/payments/${json.pspReference}/captures`, body);
    const notified = await client.pass(account, 10);
    const codes = notified.map(({ item }) => item.eventCode).toSorted();
    expect(codes).toEqual(['AUTHORISATION', 'AUTHORISATION_ADJUSTMENT', 'CAPTURE', 'CAPTURE']);
    for (const delivery of notified) expect(problemsOf(delivery), delivery.item.eventCode).toEqual([]);
  });

  test('for payments and stored cards', async () => {
    const client = createTestClient(db.pool);
    const account = 'payments';
    const saving = {
      storePaymentMethod: true,
      shopperReference: 'cus_1',
      recurringProcessingModel: 'CardOnFile',
    };
    await client.pay(payment(account, {}, saving));
    await client.pay(payment(account, { number: '5201281505129736', holderName: 'SIM-SAVE-LATE' }, saving));
    await client.pay(payment(account, { number: '4868719158130060' }));
    await client.pay(payment(account, { holderName: 'CVC_DECLINED' }));
    const notified = await client.pass(account, 10);
    expect(new Set(notified.map(({ item }) => item.eventCode))).toEqual(
      new Set(['AUTHORISATION', 'RECURRING_CONTRACT']),
    );
    for (const delivery of notified) expect(problemsOf(delivery), delivery.item.eventCode).toEqual([]);
  });

  test.each(['captured', 'authorized', 'declined'])('for cancellations of a %s payment', async (state) => {
    const client = createTestClient(db.pool);
    const merchantAccount = `cancels-${state}`;
    const card = state === 'declined' ? { holderName: 'CVC_DECLINED' } : {};
    const rest = state === 'authorized' ? { additionalData: { manualCapture: 'true' } } : {};
    const body = payment(merchantAccount, card, rest);
    const { json } = await client.pay(body);
    await client.pass(merchantAccount, 1);
    await client.post('/cancels', { merchantAccount, paymentReference: body.reference });
    await client.post(`/payments/${json.pspReference}/cancels`, { merchantAccount });
    await client.post(`/payments/${json.pspReference}/reversals`, { merchantAccount });
    const notified = await client.pass(merchantAccount, 1);
    expect(notified.map(({ item }) => item.eventCode).toSorted()).toEqual([
      'CANCELLATION',
      'CANCEL_OR_REFUND',
      'TECHNICAL_CANCEL',
    ]);
    for (const delivery of notified) expect(problemsOf(delivery), delivery.item.eventCode).toEqual([]);
  });

  test('for refunds', async () => {
    const client = createTestClient(db.pool);
    const account = 'refunds';
    const { json } = await client.pay(payment(account));
    await client.pass(account, 1);
    for (const name of ['SIM-REFUND-REVERSED', 'SIM-REFUND-FAIL-ASYNC']) {
      const body = {
        merchantAccount: account,
        reference: `re_${name}`,
        amount: { value: 100, currency: 'EUR' },
        applicationInfo: { merchantApplication: { name } },
      };
      await client.post(`/payments/${json.pspReference}/refunds`, body);
    }
    const notified = await client.pass(account, 20);
    expect(notified.map(({ item }) => item.eventCode).toSorted()).toEqual([
      'REFUND',
      'REFUND',
      'REFUNDED_REVERSED',
    ]);
    for (const delivery of notified) expect(problemsOf(delivery), delivery.item.eventCode).toEqual([]);
  });

  test('for disputes, wherever they go', async () => {
    const client = createTestClient(db.pool);
    const account = 'disputes';
    for (const { value } of disputeDirectives) await client.pay(payment(account, { holderName: value }));
    await client.pass(account, 1);
    const notified = await client.pass(account, 60);
    expect(new Set(notified.map(({ item }) => item.eventCode)).size).toBeGreaterThan(6);
    for (const { body, item } of notified) {
      // The document's list of event codes lacks some that occur in its paths, so this check replaces the
      // code.
      const { eventCode } = item;
      const listed = problems('DisputesNotificationRequestItem', { ...item, eventCode: 'CHARGEBACK' });
      expect(listed, eventCode).toEqual([]);
      expect(body.live).toBe('false');
      expect(paths).toContain(`/${eventCode}`);
    }
  });
});
