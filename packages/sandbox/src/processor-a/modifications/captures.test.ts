import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readLedger } from '../../ledger.ts';
import { createTestDatabase, type TestDatabase } from '../../test-database.ts';
import { createTestClient, payment, type TestClient } from '../test-client.ts';

let db: TestDatabase;
let client: TestClient;

beforeAll(async () => {
  db = await createTestDatabase();
  client = createTestClient(db.pool);
});
afterAll(() => db.drop());

const euro = (value: number) => ({ value, currency: 'EUR' });

/**
 * Makes a hold of 19.99 EUR.
 * @returns its pspReference
 */
async function hold(account: string): Promise<string> {
  const { json } = await client.pay(payment(account, {}, { additionalData: { manualCapture: 'true' } }));
  expect(json.resultCode).toBe('Authorised');
  return json.pspReference ?? '';
}

const post = (
  account: string,
  psp: string,
  what: 'captures' | 'amountUpdates',
  value: number,
  key?: string,
) =>
  client.post(
    `/payments/${psp}/${what}`,
    { merchantAccount: account, amount: euro(value), reference: 'r' },
    key,
  );

const charges = async (account: string) => (await readLedger(db.pool, account)).charges;

/** Returns the notifications of an account's modifications. */
async function notified(account: string) {
  const delivered = await client.pass(account, 10);
  return delivered
    .filter(({ item }) => item.eventCode !== 'AUTHORISATION')
    .map(({ item: { eventCode, success, reason, amount } }) => [eventCode, success, reason, amount.value])
    .toSorted();
}

describe('a capture', () => {
  test('takes the whole hold and is notified', async () => {
    const psp = await hold('whole');
    expect(await post('whole', psp, 'captures', 1999)).toMatchObject({
      status: 201,
      json: { status: 'received', paymentPspReference: psp, amount: euro(1999), reference: 'r' },
    });
    expect(await charges('whole')).toMatchObject([{ status: 'captured', amount: 1999 }]);
    expect(await notified('whole')).toEqual([['CAPTURE', 'true', '', 1999]]);
  });

  test('of a part lets the rest go, and can be refunded', async () => {
    const psp = await hold('part');
    await post('part', psp, 'captures', 500);
    expect(await charges('part')).toMatchObject([{ status: 'captured', amount: 500 }]);
    const refund = { merchantAccount: 'part', reference: 'back', amount: euro(501) };
    expect((await client.post(`/payments/${psp}/refunds`, refund)).json.errorCode).toBe('137');
    expect((await client.post(`/payments/${psp}/refunds`, { ...refund, amount: euro(500) })).status).toBe(
      201,
    );
  });

  test('of more than is held, or once more, is received and then notified as failed', async () => {
    const psp = await hold('failing');
    expect((await post('failing', psp, 'captures', 2000)).status).toBe(201);
    expect(await charges('failing')).toMatchObject([{ status: 'authorized', amount: 1999 }]);
    await post('failing', psp, 'captures', 1999);
    await post('failing', psp, 'captures', 1);
    expect(await charges('failing')).toMatchObject([{ status: 'captured', amount: 1999 }]);
    expect(await notified('failing')).toEqual([
      ['CAPTURE', 'false', 'Insufficient balance on payment', 2000],
      ['CAPTURE', 'false', 'Transaction has already been captured or cancelled', 1],
      ['CAPTURE', 'true', '', 1999],
    ]);
  });

  test('under one key is one, also when it comes many times at once', async () => {
    const psp = await hold('once');
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => post('once', psp, 'captures', 700, 'capture-1')),
    );
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await notified('once')).toEqual([['CAPTURE', 'true', '', 700]]);
  });

  test('of many at once takes the money once', async () => {
    const psp = await hold('race');
    await Promise.all([600, 700, 800].map((value) => post('race', psp, 'captures', value)));
    const outcomes = await notified('race');
    expect(outcomes.map(([, success]) => success).toSorted()).toEqual(['false', 'false', 'true']);
    const [taken] = await charges('race');
    expect(outcomes.find(([, success]) => success === 'true')?.[3]).toBe(taken?.amount);
  });

  test('of an unknown payment, or of one of another account, is refused', async () => {
    const psp = await hold('mine');
    expect(await post('other', psp, 'captures', 1999)).toMatchObject({
      status: 422,
      json: { errorCode: '167' },
    });
    expect(await charges('mine')).toMatchObject([{ status: 'authorized' }]);
  });
});

describe('a change of the amount', () => {
  test('holds more, which can then be captured, and is notified', async () => {
    const psp = await hold('more');
    expect((await post('more', psp, 'amountUpdates', 3000)).json).toMatchObject({ status: 'received' });
    await post('more', psp, 'captures', 3000);
    expect(await charges('more')).toMatchObject([{ status: 'captured', amount: 3000 }]);
    expect(await notified('more')).toEqual([
      ['AUTHORISATION_ADJUSTMENT', 'true', '', 3000],
      ['CAPTURE', 'true', '', 3000],
    ]);
  });

  test('of what is captured is notified as failed and changes nothing', async () => {
    const psp = await hold('late');
    await post('late', psp, 'captures', 1999);
    await post('late', psp, 'amountUpdates', 3000);
    expect(await charges('late')).toMatchObject([{ status: 'captured', amount: 1999 }]);
    expect((await notified('late')).map(([eventCode, success]) => [eventCode, success])).toEqual([
      ['AUTHORISATION_ADJUSTMENT', 'false'],
      ['CAPTURE', 'true'],
    ]);
  });
});

describe('an authorisation over nothing', () => {
  test('verifies and stores the card and charges nothing', async () => {
    const shopper = { shopperReference: 'cus_1', recurringProcessingModel: 'CardOnFile' };
    const zero = payment('zero', {}, { amount: euro(0), ...shopper, storePaymentMethod: true });
    const { json } = await client.pay(zero);
    expect(json.resultCode).toBe('Authorised');
    expect(await charges('zero')).toEqual([]);
    const charge = {
      ...payment('zero', {}, { ...shopper, shopperInteraction: 'ContAuth' }),
      paymentMethod: {
        type: 'scheme',
        storedPaymentMethodId: json.additionalData?.['tokenization.storedPaymentMethodId'],
      },
    };
    expect((await client.pay(charge)).json.resultCode).toBe('Authorised');
    expect(await charges('zero')).toMatchObject([{ status: 'captured', amount: 1999 }]);
  });

  test('is declined as any other', async () => {
    const refused = payment('declined', { holderName: 'CVC_DECLINED' }, { amount: euro(0) });
    expect((await client.pay(refused)).json.resultCode).toBe('Refused');
  });
});
