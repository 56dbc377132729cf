import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readLedger } from '../../ledger.ts';
import { ConnectionDropped } from '../../lib/wire.ts';
import { createNotificationSender } from '../../outbox/outbox.ts';
import { createTestDatabase, type TestDatabase } from '../../test-database.ts';
import { answerChallenge } from '../authorisation/challenges.ts';
import { settleRefundA } from '../modifications/settle-refund.ts';
import { createTestClient, type Delivered, payment, testSecrets } from '../test-client.ts';
import type { NotificationItem } from './notification-items.ts';
import { hmacSignature, signedText, signNotificationA } from './sign-notification.ts';

let db: TestDatabase;

beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

function signatureOf({ additionalData, ...item }: NotificationItem): string {
  return hmacSignature(signedText({ ...item, additionalData }), testSecrets.hmacKey);
}

const events = (deliveries: readonly Delivered[]) =>
  deliveries.map(({ item }) => `${item.eventCode} ${item.success}`);

describe('the signature', () => {
  const key = 'DFB1EB5485895CFA84146406857104ABB4CBCABDC8AAF103A624C8F6A3EAAB00';
  const sample = {
    pspReference: 'pspReference',
    originalReference: 'originalReference',
    merchantAccountCode: 'merchantAccount',
    merchantReference: 'reference',
    amount: { value: 1000, currency: 'EUR' },
    eventCode: 'EVENT',
    success: 'true',
    eventDate: '2026-12-01T12:00:00+00:00',
    reason: '',
    additionalData: {},
  } as const;
  const { originalReference: _none, ...first } = sample;

  // The samples that Adyen's own library publishes (HMAC validator), and one that follows its rule.
  test.each<[NotificationItem, string, string]>([
    [{ ...sample, eventCode: 'REPORT_AVAILABLE' }, key, 'ZNBPtI+oDyyRrLyD1XirkKnQgIAlFc07Vj27TeHsDRE='],
    [sample, key, 'ipnxGCaUZ4l8TUW75a71/ghd2Fe5ffvX0pV4TLTntIc='],
    [
      {
        ...first,
        pspReference: 'PSP1',
        merchantAccountCode: 'ACCT',
        merchantReference: 'pay_abc',
        eventCode: 'AUTHORISATION',
      },
      key,
      'Hv9Kw7QKz/IB3F9Y4XWIzu7WN7GFDXThAIuN6Og8Uz0=',
    ],
    [
      {
        ...first,
        pspReference: '7914073381342284',
        merchantAccountCode: 'TestMerchant',
        merchantReference: 'TestPayment-1407325143704',
        amount: { value: 1130, currency: 'EUR' },
        eventCode: 'AUTHORISATION',
      },
      '44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056',
      'coqCmt/IZ4E3CzPvMY8zTjQVL5hYJUiBRg8UU+iCWo0=',
    ],
  ])('of %j', (item, hmacKey, signature) => {
    expect(hmacSignature(signedText(item), hmacKey)).toBe(signature);
  });
});

describe('a payment', () => {
  test('that is approved is notified a second later, signed and for the right address', async () => {
    const client = createTestClient(db.pool);
    const body = payment('acct_approved');
    const answer = await client.pay(body, 'key');
    expect(await client.pass('acct_approved', 0.9)).toEqual([]);
    const [notified, ...more] = await client.pass('acct_approved', 0.1);
    expect(more).toEqual([]);
    expect(notified?.request).toMatchObject({
      method: 'POST',
      url: 'https://till.example/processor_a/acct_approved',
      headers: {
        authorization: `Basic ${Buffer.from('till:a password: of two parts').toString('base64')}`,
      },
    });
    const { paymentMethod, ...told3ds } = answer.json.additionalData ?? {};
    expect(paymentMethod).toBe('visa');
    expect(notified?.body.live).toBe('false');
    expect(notified?.item).toEqual({
      eventCode: 'AUTHORISATION',
      success: 'true',
      eventDate: '2026-12-01T12:00:00+00:00',
      merchantAccountCode: 'acct_approved',
      merchantReference: body.reference,
      pspReference: answer.json.pspReference,
      amount: { currency: 'EUR', value: 1999 },
      paymentMethod: 'visa',
      reason: `${answer.json.additionalData?.authCode}:1111:3/2030`,
      operations: ['CANCEL', 'CAPTURE', 'REFUND'],
      additionalData: { ...told3ds, hmacSignature: expect.any(String) },
    });
    expect(notified && signatureOf(notified.item)).toBe(notified?.item.additionalData.hmacSignature);
    expect(await client.pass('acct_approved', 60)).toEqual([]);
  });

  test('of a live account is notified as live', async () => {
    const client = createTestClient(db.pool);
    await client.pay(payment('acct_live'));
    const [notified] = await client.pass('acct_live', 1);
    expect(notified?.body.live).toBe('true');
  });

  test('that is refused is notified with its reason', async () => {
    const client = createTestClient(db.pool);
    await client.pay(payment('refused', { holderName: 'NOT_ENOUGH_BALANCE' }));
    const [notified] = await client.pass('refused', 1);
    expect(notified?.item).toMatchObject({
      eventCode: 'AUTHORISATION',
      success: 'false',
      reason: 'Not enough balance',
      additionalData: { refusalReasonRaw: '51 : Insufficient funds/over credit limit' },
    });
  });

  test('that is refused before it reaches an issuer is not notified', async () => {
    const client = createTestClient(db.pool);
    expect(await client.pay(payment('invalid', { cvc: '1' }))).toMatchObject({ status: 422 });
    expect(await client.pass('invalid', 60)).toEqual([]);
  });

  test('under one key is notified once', async () => {
    const client = createTestClient(db.pool);
    const body = payment('once');
    await Promise.all([client.pay(body, 'key'), client.pay(body, 'key')]);
    await client.pay(body, 'key');
    expect(events(await client.pass('once', 1))).toEqual(['AUTHORISATION true']);
  });

  test('that is challenged is notified once the challenge is over', async () => {
    const client = createTestClient(db.pool);
    const redirect = await client.pay(payment('challenged', { number: '4917610000000000' }));
    expect(await client.pass('challenged', 1)).toEqual([]);
    const id = redirect.json.action?.url.split('/').at(-1) ?? '';
    const resolved = await answerChallenge(client.deps, id, 'approved');
    const redirectResult = new URL(resolved?.returnUrl ?? '').searchParams.get('redirectResult');
    const final = await client.post('/payments/details', { details: { redirectResult } });
    await client.post('/payments/details', { details: { redirectResult } });
    const notified = await client.pass('challenged', 1);
    expect(notified.map(({ item }) => item)).toMatchObject([
      { eventCode: 'AUTHORISATION', success: 'true', pspReference: final.json.pspReference },
    ]);
    expect(notified[0]?.item.additionalData.liabilityShift).toBe('true');
  });

  test('whose answer is lost is notified all the same', async () => {
    const client = createTestClient(db.pool);
    const lost = payment('lost', { holderName: 'SIM-DROP-DONE' });
    await expect(client.pay(lost, 'key')).rejects.toThrow(ConnectionDropped);
    expect(events(await client.pass('lost', 1))).toEqual(['AUTHORISATION true']);
    const never = payment('never', { holderName: 'SIM-DROP' });
    await expect(client.pay(never, 'key')).rejects.toThrow(ConnectionDropped);
    expect(await client.pass('never', 1)).toEqual([]);
  });
});

describe('a delivery', () => {
  test('that is not accepted is made again', async () => {
    const client = createTestClient(db.pool);
    await client.pay(payment('again'));
    client.receiver.answer = () => 500;
    expect(await client.pass('again', 1)).toHaveLength(1);
    client.receiver.answer = () => 202;
    const [repeated] = await client.pass('again', 2);
    expect(repeated?.item).toEqual(client.delivered[0]?.item);
    expect(await client.pass('again', 60)).toEqual([]);
  });

  test('SIM-WEBHOOK-FIRST comes before the answer, when the money has moved', async () => {
    const client = createTestClient(db.pool);
    const order: string[] = [];
    client.receiver.answer = ({ item }) => {
      order.push(`notified ${item.merchantReference}`);
      return 200;
    };
    const body = payment('first', { holderName: 'SIM-WEBHOOK-FIRST' });
    const answer = await client.pay(body, 'key');
    order.push(`answered ${answer.json.merchantReference}`);
    expect(order).toEqual([`notified ${body.reference}`, `answered ${body.reference}`]);
    expect((await readLedger(db.pool, 'first')).charges).toHaveLength(1);
    expect(await client.pay(body, 'key')).toEqual(answer);
    expect(await client.pass('first', 60)).toEqual([]);
  });

  test('SIM-WEBHOOK-FIRST answers also where the delivery fails', async () => {
    const client = createTestClient(db.pool);
    client.receiver.answer = () => {
      throw new Error('nobody listens');
    };
    const body = payment('first-fails', { holderName: 'SIM-WEBHOOK-FIRST' });
    expect((await client.pay(body)).json.resultCode).toBe('Authorised');
    client.receiver.answer = () => 200;
    expect(await client.pass('first-fails', 2)).toHaveLength(1);
  });

  test('SIM-WEBHOOK-DUP comes twice with the same content', async () => {
    const client = createTestClient(db.pool);
    await client.pay(payment('dup', {}, { lineItems: [{ description: 'SIM-WEBHOOK-DUP' }] }));
    const [one, two, ...more] = await client.pass('dup', 1);
    expect(one?.request).toEqual(two?.request);
    expect(more).toEqual([]);
  });

  test('SIM-WEBHOOK-BADSIG has a signature that does not fit, and is not made again', async () => {
    const client = createTestClient(db.pool);
    await client.pay(payment('forged', { holderName: 'SIM-WEBHOOK-BADSIG' }));
    client.receiver.answer = () => 401;
    const [forged] = await client.pass('forged', 1);
    const signature = forged?.item.additionalData.hmacSignature ?? '';
    expect(Buffer.from(signature, 'base64')).toHaveLength(32);
    expect(forged && signatureOf(forged.item)).not.toBe(signature);
    expect(await client.pass('forged', 60)).toEqual([]);
  });
});

test('a refund that is settled as succeeded while its failure is about to be sent notifies its success alone', async () => {
  const client = createTestClient(db.pool);
  const account = 'settled-meanwhile';
  const body = payment(account, {}, {});
  const { json } = await client.pay(body);
  await client.pass(account, 1);
  await client.post(
    `/payments/${json.pspReference}/refunds`,
    {
      merchantAccount: account,
      reference: 're_1',
      amount: body.amount,
      applicationInfo: { merchantApplication: { name: 'SIM-REFUND-FAIL-ASYNC' } },
    },
    're_1',
  );
  client.clock.now = new Date(client.clock.now.getTime() + 60_000);
  const sign = signNotificationA(client.deps);
  const settledMeanwhile: typeof sign = async (planned, to) => {
    await settleRefundA(client.deps, account, 're_1', 'succeeded');
    return sign(planned, to);
  };
  const before = client.delivered.length;
  await createNotificationSender(client.deps, { processor_a: settledMeanwhile }).sendDue(account);
  expect(events(client.delivered.slice(before))).toEqual(['REFUND true']);
  expect((await readLedger(db.pool, account)).refunds).toMatchObject([{ status: 'succeeded' }]);
});
