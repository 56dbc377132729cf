import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ProcessorConnection } from '../../port/port.ts';
import { type JsonObject, jsonObject } from '../../wire/json.ts';
import { connection as plain, run } from '../test-kit.ts';
import { isSigned } from './notification-signature.ts';

const hmacKey = 'DFB1EB5485895CFA84146406857104ABB4CBCABDC8AAF103A624C8F6A3EAAB00';
const connection: ProcessorConnection = {
  ...plain,
  credentials: { ...plain.credentials, hmacKey, notificationUser: 'till', notificationPassword: 'päss:word' },
};
const authorization = `Basic ${Buffer.from('till:päss:word').toString('base64')}`;

const item = {
  pspReference: 'PSP1',
  merchantReference: 'pay_abc',
  merchantAccountCode: 'TillTest',
  eventDate: '2026-11-20T12:00:00+01:00',
  amount: { currency: 'EUR', value: 1000 },
  eventCode: 'AUTHORISATION',
  success: 'true',
};

/** The item with its signature over the text that the upstream's documentation defines. */
function signed(changes: JsonObject = {}, key = hmacKey): JsonObject {
  const whole: JsonObject = { ...item, ...changes };
  const { currency, value } = jsonObject(whole.amount);
  const text = [
    whole.pspReference,
    whole.originalReference ?? '',
    whole.merchantAccountCode,
    whole.merchantReference,
    value,
    currency,
    whole.eventCode,
    whole.success,
  ].join(':');
  const hmacSignature = createHmac('sha256', Buffer.from(key, 'hex')).update(text).digest('base64');
  const { additionalData } = changes;
  return { ...whole, additionalData: { authCode: '1', ...jsonObject(additionalData), hmacSignature } };
}

const envelope = (items: readonly JsonObject[], live: unknown = 'false') => ({
  live,
  notificationItems: items.map((NotificationRequestItem) => ({ NotificationRequestItem })),
});

async function receive(
  body: unknown,
  {
    to = connection,
    headers = { authorization },
  }: { to?: ProcessorConnection; headers?: Record<string, string> } = {},
) {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const { outcome, sent } = await run([], (port) =>
    port.receiveNotification(to, { headers, body: new Uint8Array(bytes) }),
  );
  expect(sent).toEqual([]);
  return outcome;
}

describe('isSigned', () => {
  const reference = {
    pspReference: 'pspReference',
    originalReference: 'originalReference',
    merchantAccountCode: 'merchantAccount',
    merchantReference: 'reference',
    amount: { currency: 'EUR', value: 1000 },
    success: 'true',
  };
  const vectors: readonly (readonly [string, JsonObject, string])[] = [
    [
      hmacKey,
      { ...reference, eventCode: 'REPORT_AVAILABLE' },
      'ZNBPtI+oDyyRrLyD1XirkKnQgIAlFc07Vj27TeHsDRE=',
    ],
    [hmacKey, { ...reference, eventCode: 'EVENT' }, 'ipnxGCaUZ4l8TUW75a71/ghd2Fe5ffvX0pV4TLTntIc='],
    [hmacKey, { ...item, merchantAccountCode: 'ACCT' }, 'Hv9Kw7QKz/IB3F9Y4XWIzu7WN7GFDXThAIuN6Og8Uz0='],
    [
      '44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056',
      {
        ...item,
        pspReference: '7914073381342284',
        merchantAccountCode: 'TestMerchant',
        merchantReference: 'TestPayment-1407325143704',
        amount: { currency: 'EUR', value: 1130 },
      },
      'coqCmt/IZ4E3CzPvMY8zTjQVL5hYJUiBRg8UU+iCWo0=',
    ],
  ];

  it.each(vectors)('%# accepts a published signature, and no other', (key, one, hmacSignature) => {
    const bytes = Buffer.from(key, 'hex');
    const whole = { ...one, additionalData: { hmacSignature } };
    expect(isSigned(whole, bytes)).toBe(true);
    expect(isSigned({ ...whole, success: 'false' }, bytes)).toBe(false);
    expect(isSigned({ ...whole, amount: { currency: 'EUR', value: 1 } }, bytes)).toBe(false);
  });
});

describe('createProcessorA, a verified notification', () => {
  it('has an id of the signed content, and its own body', async () => {
    expect(await receive(envelope([signed()]))).toEqual({
      kind: 'accepted',
      notifications: [{ id: 'AUTHORISATION:PSP1:true', type: 'AUTHORISATION', body: signed() }],
    });
  });

  it('may have several items', async () => {
    const items = [signed(), signed({ eventCode: 'REFUND', success: 'false', originalReference: 'P0' })];
    expect(await receive(envelope(items))).toMatchObject({
      notifications: [{ id: 'AUTHORISATION:PSP1:true' }, { id: 'REFUND:PSP1:false' }],
    });
  });

  const inquiry = { rfiReasonCode: '10', disputeStatus: 'Responded' };
  const chargeback = { chargebackReasonCode: '10.4', disputeStatus: 'Pending' };
  it.each<[string, JsonObject, JsonObject]>([
    [
      'answers an inquiry, or the chargeback after it',
      { eventCode: 'INFORMATION_SUPPLIED', additionalData: inquiry },
      { eventCode: 'INFORMATION_SUPPLIED', additionalData: chargeback },
    ],
    [
      'opens a chargeback, or ends it',
      { eventCode: 'CHARGEBACK', additionalData: { ...chargeback, disputeStatus: 'Undefended' } },
      { eventCode: 'CHARGEBACK', additionalData: { ...chargeback, disputeStatus: 'Lost' } },
    ],
    [
      'names a deadline, or a later one',
      {
        eventCode: 'NOTIFICATION_OF_CHARGEBACK',
        additionalData: { ...chargeback, defensePeriodEndsAt: '2026-12-01T12:00:00Z' },
      },
      {
        eventCode: 'NOTIFICATION_OF_CHARGEBACK',
        additionalData: { ...chargeback, defensePeriodEndsAt: '2026-12-08T12:00:00Z' },
      },
    ],
    [
      'is of a token that one payment saves, or another one',
      { eventCode: 'RECURRING_CONTRACT', originalReference: 'PSP1' },
      { eventCode: 'RECURRING_CONTRACT', originalReference: 'PSP2' },
    ],
  ])('is one of its own where it %s, and has one id each time', async (_which, one, other) => {
    const answer = await receive(envelope([one, other, one].map((changes) => signed(changes))));
    const ids = 'notifications' in answer ? answer.notifications.map(({ id }) => id) : [];
    expect([ids.length, new Set(ids).size]).toEqual([3, 2]);
  });

  it('may concern no payment of ours', async () => {
    const report = signed({ eventCode: 'REPORT_AVAILABLE', merchantReference: '' });
    expect(await receive(envelope([report]))).toMatchObject({ kind: 'accepted' });
  });

  it('needs no password where none is configured', async () => {
    const to = { ...connection, credentials: { ...plain.credentials, hmacKey } };
    expect(await receive(envelope([signed()]), { to, headers: {} })).toMatchObject({ kind: 'accepted' });
  });

  it('is live on a live connection', async () => {
    const to = { ...connection, livemode: true };
    expect(await receive(envelope([signed()], 'true'), { to })).toMatchObject({ kind: 'accepted' });
  });

  it('is acknowledged as the upstream requires', async () => {
    const { outcome } = await run([], async (port) => port.notificationReceipt);
    expect(outcome).toBe('[accepted]');
  });
});

describe('createProcessorA, a notification that is not verified', () => {
  const forged = { ...signed(), merchantReference: 'pay_other' };
  it.each<[string, unknown, string]>([
    ['is no JSON', '<xml/>', 'malformed'],
    ['has no items', { live: 'false' }, 'malformed'],
    ['has an empty list', envelope([]), 'malformed'],
    ['is of live payments', envelope([signed()], 'true'), 'environment differs'],
    ['names no environment', { ...envelope([signed()]), live: undefined }, 'environment differs'],
    [
      'is for another account',
      envelope([signed({ merchantAccountCode: 'Other' })]),
      'merchant account differs',
    ],
    ['was changed', envelope([forged]), 'signature differs'],
    ['has one wrong item of two', envelope([signed(), forged]), 'signature differs'],
    ['has another key', envelope([signed({}, hmacKey.replaceAll('D', 'E'))]), 'signature differs'],
    ['has no signature', envelope([item]), 'signature differs'],
    [
      'has half a signature',
      envelope([{ ...item, additionalData: { hmacSignature: 'Hv9K' } }]),
      'signature differs',
    ],
    [
      'can be read in two ways',
      envelope([signed({ pspReference: 'P', originalReference: 'a:b' })]),
      'signature differs',
    ],
    ['names no result', envelope([signed({ success: 'maybe' })]), 'malformed'],
    ['has an endless reference', envelope([signed({ pspReference: 'P'.repeat(250) })]), 'malformed'],
  ])('%s', async (_, body, reason) => {
    expect(await receive(body)).toEqual({ kind: 'refused', reason });
  });

  it.each([
    ['no password', {}],
    ['another password', { authorization: `Basic ${Buffer.from('till:else').toString('base64')}` }],
    ['another scheme', { authorization: authorization.replace('Basic', 'Bearer') }],
    ['a password in clear', { authorization: 'till:päss:word' }],
  ])('has %s', async (_, headers: Record<string, string>) => {
    expect(await receive(envelope([signed()]), { headers })).toEqual({
      kind: 'refused',
      reason: 'password differs',
    });
  });

  it.each([
    ['no key', { merchantAccount: 'TillTest' }],
    ['half a key', { merchantAccount: 'TillTest', hmacKey: 'DFB1' }],
    ['a key that is not hex', { merchantAccount: 'TillTest', hmacKey: 'x'.repeat(64) }],
    ['no merchant account', { hmacKey }],
  ])('cannot be verified now with %s', async (_, credentials) => {
    expect(await receive(envelope([signed()]), { to: { ...connection, credentials } })).toEqual({
      kind: 'not_executed',
      answer: 'provider_error',
      reason: 'credentials missing',
    });
  });
});
