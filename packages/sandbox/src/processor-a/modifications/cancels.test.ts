import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readLedger } from '../../ledger.ts';
import { createTestDatabase, type TestDatabase } from '../../test-database.ts';
import { createTestClient, payment, type TestClient } from '../test-client.ts';

let db: TestDatabase;
let client: TestClient;

beforeAll(async () => {
  db = await createTestDatabase();
});
beforeEach(() => {
  client = createTestClient(db.pool);
});
afterAll(() => db.drop());

const manual = { additionalData: { manualCapture: 'true' } };
const unknownPsp = 'AAAABBBBCCCCDDDD';
const tooLate = { success: 'false', reason: 'Transaction has already been captured' };
const notFound = { success: 'false', reason: 'Transaction not found' };

/** Charges a card and delivers the notification of the charge. */
async function charge(
  account: string,
  rest: Record<string, unknown> = {},
  body = payment(account, {}, rest),
) {
  const { json } = await client.pay(body);
  await client.pass(account, 1);
  return { reference: body.reference, psp: json.pspReference ?? '' };
}

const cancel = (merchantAccount: string, paymentReference: unknown, key?: string) =>
  client.post('/cancels', { merchantAccount, paymentReference, reference: 'pay_own' }, key);

const modify = (what: 'cancels' | 'reversals', merchantAccount: string, psp: string, key?: string) =>
  client.post(`/payments/${psp}/${what}`, { merchantAccount, reference: 'pay_own' }, key);

const notified = async (account: string) => (await client.pass(account, 1)).map(({ item }) => item);

const statuses = async (account: string) =>
  (await readLedger(db.pool, account)).charges.map(({ status }) => status);

describe('a cancellation by our reference', () => {
  test('cancels what was authorised, once under one key', async () => {
    const { reference, psp } = await charge('held', manual);
    const answer = await cancel('held', reference, 'cancel');
    expect(answer).toMatchObject({ status: 201, headers: { 'idempotency-key': 'cancel' } });
    expect(answer.json).toEqual({
      merchantAccount: 'held',
      paymentReference: reference,
      pspReference: expect.stringMatching(/^[A-Z0-9]{16}$/),
      reference: 'pay_own',
      status: 'received',
    });
    expect(await cancel('held', reference, 'cancel')).toEqual(answer);
    expect(await statuses('held')).toEqual(['cancelled']);
    expect(await notified('held')).toEqual([
      {
        eventCode: 'TECHNICAL_CANCEL',
        success: 'true',
        reason: '',
        pspReference: answer.json.pspReference,
        originalReference: psp,
        merchantReference: 'pay_own',
        merchantAccountCode: 'held',
        eventDate: expect.any(String),
        amount: { currency: 'EUR', value: 1999 },
        additionalData: { hmacSignature: expect.any(String) },
      },
    ]);
  });

  test('is received and fails where the payment was captured', async () => {
    const { reference, psp } = await charge('captured');
    expect(await cancel('captured', reference)).toMatchObject({ status: 201, json: { status: 'received' } });
    expect(await statuses('captured')).toEqual(['captured']);
    expect(await notified('captured')).toMatchObject([
      { eventCode: 'TECHNICAL_CANCEL', ...tooLate, originalReference: psp },
    ]);
  });

  test('fails where one of two charges was captured, and cancels the other one', async () => {
    const body = payment('both', {}, manual);
    await charge('both', {}, body);
    const { psp } = await charge('both', {}, { ...body, additionalData: {} });
    await cancel('both', body.reference);
    expect((await statuses('both')).toSorted()).toEqual(['cancelled', 'captured']);
    expect(await notified('both')).toMatchObject([{ ...tooLate, originalReference: psp }]);
  });

  test('succeeds where there is nothing to cancel', async () => {
    await cancel('nothing', 'pay_none');
    const [nothing] = await notified('nothing');
    expect(nothing).toMatchObject({ eventCode: 'TECHNICAL_CANCEL', success: 'true' });
    expect(nothing).not.toHaveProperty('originalReference');
  });

  test('of another account, of nothing, or without a reference changes nothing', async () => {
    const { reference } = await charge('kept', manual);
    expect(await cancel('stranger', reference)).toMatchObject({ status: 201 });
    expect(await cancel('kept', 'pay_unknown')).toMatchObject({ status: 201 });
    expect(await cancel('kept', undefined)).toMatchObject({ status: 422 });
    expect(await statuses('kept')).toEqual(['authorized']);
  });

  test('of a payment whose buyer is being asked is notified as well', async () => {
    const body = payment('open', { number: '4917610000000000' });
    await client.pay(body);
    const answer = { merchantAccount: 'open', paymentReference: body.reference };
    await client.post('/cancels', answer);
    expect(await notified('open')).toMatchObject([
      {
        eventCode: 'TECHNICAL_CANCEL',
        success: 'true',
        originalReference: expect.stringMatching(/^[A-Z0-9]{16}$/),
        merchantReference: body.reference,
        amount: { currency: 'EUR', value: 1999 },
      },
    ]);
  });
});

describe('a cancellation by the pspReference', () => {
  test('cancels what was authorised', async () => {
    const { psp } = await charge('psp', manual);
    expect(await modify('cancels', 'psp', psp)).toMatchObject({
      status: 201,
      json: { paymentPspReference: psp, status: 'received' },
    });
    expect(await statuses('psp')).toEqual(['cancelled']);
    expect(await notified('psp')).toMatchObject([
      {
        eventCode: 'CANCELLATION',
        success: 'true',
        originalReference: psp,
        merchantReference: 'pay_own',
      },
    ]);
  });

  test('fails where the payment was captured or is not known', async () => {
    const { psp } = await charge('psp-late');
    await modify('cancels', 'psp-late', psp);
    expect(await notified('psp-late')).toMatchObject([
      { eventCode: 'CANCELLATION', ...tooLate, originalReference: psp },
    ]);
    await modify('cancels', 'psp-late', unknownPsp);
    expect(await notified('psp-late')).toMatchObject([
      { eventCode: 'CANCELLATION', ...notFound, originalReference: unknownPsp },
    ]);
    expect(await statuses('psp-late')).toEqual(['captured']);
  });
});

describe('a reversal', () => {
  test.each([
    ['captured', {}, 'refund'],
    ['authorised', manual, 'cancel'],
  ])('undoes a payment that was %s, once under one key', async (state, rest, action) => {
    const account = `reversed-${state}`;
    const { psp } = await charge(account, rest);
    const answer = await modify('reversals', account, psp, 'reverse');
    expect(answer).toMatchObject({ status: 201, headers: { 'idempotency-key': 'reverse' } });
    expect(answer.json).toEqual({
      merchantAccount: account,
      paymentPspReference: psp,
      pspReference: expect.stringMatching(/^[A-Z0-9]{16}$/),
      reference: 'pay_own',
      status: 'received',
    });
    expect(await modify('reversals', account, psp, 'reverse')).toEqual(answer);
    expect(await statuses(account)).toEqual(['cancelled']);
    expect(await notified(account)).toMatchObject([
      {
        eventCode: 'CANCEL_OR_REFUND',
        success: 'true',
        pspReference: answer.json.pspReference,
        originalReference: psp,
        merchantReference: 'pay_own',
        amount: { currency: 'EUR', value: 1999 },
        additionalData: { 'modification.action': action },
      },
    ]);
  });

  test('leaves refunded what was refunded', async () => {
    const { psp } = await charge('refunded');
    const refund = {
      merchantAccount: 'refunded',
      reference: 're_1',
      amount: { value: 500, currency: 'EUR' },
    };
    await client.post(`/payments/${psp}/refunds`, refund);
    await client.pass('refunded', 2);
    await modify('reversals', 'refunded', psp);
    expect(await readLedger(db.pool, 'refunded')).toMatchObject({
      charges: [{ amount: 1999, status: 'cancelled' }],
      refunds: [{ reference: 're_1', amount: 500, status: 'succeeded' }],
    });
    expect(await client.post(`/payments/${psp}/refunds`, refund)).toMatchObject({ status: 422 });
  });

  test('of a payment that was reversed before succeeds and changes nothing', async () => {
    const { psp } = await charge('again');
    await modify('reversals', 'again', psp, 'first');
    await modify('reversals', 'again', psp, 'second');
    expect(await statuses('again')).toEqual(['cancelled']);
    expect((await notified('again')).map(({ success }) => success)).toEqual(['true', 'true']);
  });

  test('of another account or of nothing fails and changes nothing', async () => {
    const { psp } = await charge('mine');
    await modify('reversals', 'yours', psp);
    expect(await notified('yours')).toMatchObject([{ eventCode: 'CANCEL_OR_REFUND', ...notFound }]);
    await modify('reversals', 'mine', unknownPsp);
    expect(await notified('mine')).toMatchObject([
      { eventCode: 'CANCEL_OR_REFUND', ...notFound, originalReference: unknownPsp },
    ]);
    expect(await statuses('mine')).toEqual(['captured']);
  });
});
