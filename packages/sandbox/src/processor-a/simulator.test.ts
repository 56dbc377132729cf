import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { luhnInvalidNumber } from '../directives/cards.ts';
import { readLedger, readReceived } from '../ledger.ts';
import type { WireRequest } from '../lib/wire.ts';
import { createTestDatabase, type TestDatabase } from '../test-database.ts';
import {
  type Answer,
  answerFrom,
  createTestClient,
  payment,
  request,
  type TestClient,
  testPan,
} from './test-client.ts';

let db: TestDatabase;
let client: TestClient;

beforeAll(async () => {
  db = await createTestDatabase();
  client = createTestClient(db.pool);
});
afterAll(() => db.drop());

async function send(change: Partial<WireRequest>, body: unknown = payment('door')): Promise<Answer> {
  return answerFrom(await client.processor.handle({ ...request(body), ...change }));
}

describe('at the door', () => {
  test('another path is not found', async () => {
    for (const url of [
      '/v71/nothing',
      '/v70/payments',
      'https://checkout-test.example/v71/payments/',
      '//',
    ]) {
      expect(await send({ url }), url).toMatchObject({ status: 404, json: { status: 404 } });
    }
  });

  test('the path may come with or without a host, and with a query', async () => {
    for (const url of ['/v71/payments', 'http://127.0.0.1:8080/v71/payments?x=1']) {
      expect(await send({ url }), url).toMatchObject({ status: 200 });
    }
  });

  test('another method is not allowed', async () => {
    expect(await send({ method: 'GET' })).toMatchObject({ status: 405, headers: { allow: 'POST' } });
  });

  test.each([{}, { 'x-api-key': '' }])('a request with the headers %j is unauthorised', async (headers) => {
    expect(await send({ headers })).toMatchObject({
      status: 401,
      json: { status: 401, errorCode: '000', errorType: 'security' },
    });
  });

  test('input that is not JSON is refused without being repeated', async () => {
    const answer = await send({}, `{"number":"${testPan}"`);
    expect(answer).toMatchObject({ status: 400, json: { status: 400, errorCode: '702' } });
    expect(answer.text).not.toContain(testPan);
  });

  test('a payment of no account is refused', async () => {
    const answer = await send({}, { ...payment('door'), merchantAccount: undefined });
    expect(answer).toMatchObject({ status: 403, json: { errorCode: '901', errorType: 'security' } });
  });

  test('an idempotency key of 64 characters passes, of 65 does not', async () => {
    expect(await client.pay(payment('door'), 'k'.repeat(64))).toMatchObject({ status: 200 });
    expect(await client.pay(payment('door'), 'k'.repeat(65))).toMatchObject({ status: 422 });
  });
});

describe('a payment', () => {
  test('that is approved stands in the ledger', async () => {
    const body = payment('approved');
    const answer = await client.pay(body, 'key-1');
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({ 'idempotency-key': 'key-1' });
    expect(answer.headers['content-type']).toContain('application/json');
    expect(answer.json).toMatchObject({ resultCode: 'Authorised', merchantReference: body.reference });
    expect(answer.json.pspReference).toMatch(/^[A-Z0-9]{16}$/);
    expect(answer.json.additionalData?.authCode).toMatch(/^\d{6}$/);
    expect(answer.json.additionalData?.networkTxReference).toMatch(/^\d{15}$/);
    expect(await readLedger(db.pool, 'approved')).toEqual({
      charges: [{ reference: body.reference, amount: 1999, currency: 'EUR', status: 'captured' }],
      refunds: [],
    });
  });

  test('that asks for a manual capture is only authorized', async () => {
    await client.pay(payment('manual', {}, { additionalData: { manualCapture: 'true' } }));
    expect((await readLedger(db.pool, 'manual')).charges).toMatchObject([{ status: 'authorized' }]);
  });

  test.each<[string, Record<string, unknown>, Record<string, unknown>, number]>([
    ['is declined', { holderName: 'DECLINED' }, {}, 200],
    ['fails 3-D Secure', { number: '4868719158130060' }, {}, 200],
    ['uses an unpublished card', { number: '4242424242424242' }, {}, 200],
    ['mistypes the number', { number: luhnInvalidNumber }, {}, 422],
    ['has no reference', {}, { reference: undefined }, 422],
  ])('that %s charges nothing', async (_what, card, rest, status) => {
    const answer = await client.pay(payment('charges-nothing', card, rest), `key-${_what}`);
    expect(answer.status).toBe(status);
    expect(answer.json.resultCode).not.toBe('Authorised');
    expect((await readLedger(db.pool, 'charges-nothing')).charges).toEqual([]);
  });

  test('made twice under different keys is charged twice, and the ledger says so', async () => {
    const body = payment('twice');
    await client.pay(body, 'first');
    await client.pay(body, 'second');
    await client.pay(body);
    const { charges } = await readLedger(db.pool, 'twice');
    expect(charges.map((charge) => charge.reference)).toEqual([
      body.reference,
      body.reference,
      body.reference,
    ]);
  });

  test('of a large amount keeps it exactly', async () => {
    const amount = { value: 999_999_999_999, currency: 'JPY' };
    await client.pay(payment('large', {}, { amount }), 'large');
    expect((await readLedger(db.pool, 'large')).charges).toMatchObject([{ amount: 999_999_999_999 }]);
  });

  test('survives text that a database refuses', async () => {
    const body = payment('text', { holderName: 'A\u0000da \ud800 \\u0000 \u{1f600}' });
    expect(await client.pay(body, 'text')).toMatchObject({ status: 200 });
    expect(await readReceived(db.pool, 'text', body.reference)).toMatchObject([
      { paymentMethod: { holderName: 'A\ufffdda \ufffd \\u0000 \u{1f600}' } },
    ]);
  });

  test('is kept as it was received, without the card', async () => {
    const rest = {
      lineItems: [{ description: 'Lamp', quantity: 2, amountExcludingTax: 800, upc: '012345678905' }],
      enhancedSchemeData: { levelTwoThree: { customerReferenceNumber: 'INV-1', totalTaxAmount: 190 } },
      shopperEmail: 'ada@example.com',
    };
    const body = payment('received', {}, rest);
    await client.pay(body, 'received');
    expect(await readReceived(db.pool, 'received', body.reference)).toEqual([
      {
        ...body,
        paymentMethod: {
          type: 'scheme',
          holderName: 'Ada Lovelace',
          expiryMonth: '03',
          expiryYear: '2030',
          bin: '411111',
          last4: '1111',
        },
      },
    ]);
    expect(await readReceived(db.pool, 'received', 'another')).toEqual([]);
    expect(await readReceived(db.pool, 'another', body.reference)).toEqual([]);
  });
});

test('card number and security code stand in no table', async () => {
  const secrets = { number: '5555555555554444', cvc: '918' };
  const spelt = payment('secrets', { ...secrets, holderName: '5555 5555 5555 4444' });
  await client.pay(spelt, 'approved');
  await client.pay(payment('secrets', { ...secrets, holderName: 'DECLINED' }), 'declined');
  await client.pay(payment('secrets', { ...secrets, holderName: 'SIM-500' }), 'fault');
  await client.pay(payment('secrets', { ...secrets, expiryYear: '2001' }), 'invalid');
  await client.pay(payment('secrets', { ...secrets, number: '4929000000006' }), 'unpublished');

  const dump = await db.dump();
  expect(dump).toContain('555555******4444');
  expect(dump).not.toMatch(/5555[ -]?5555[ -]?5555[ -]?4444|4929000000006/);
  expect(dump).not.toMatch(/\b918\b/);
  expect(dump).not.toContain(testPan);
});
