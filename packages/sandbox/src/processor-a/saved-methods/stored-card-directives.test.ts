import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readLedger } from '../../ledger.ts';
import { createTestDatabase, type TestDatabase } from '../../test-database.ts';
import { createTestClient, payment, type TestClient } from '../test-client.ts';
import { save, saving, storedCharge, tokenIn } from './test-stored-cards.ts';

let db: TestDatabase;
let client: TestClient;

beforeAll(async () => {
  db = await createTestDatabase();
  client = createTestClient(db.pool);
});
afterAll(() => db.drop());

describe('the directive of the holder name', () => {
  test.each([
    ['SIM-MIT-DECLINE', { refusalReasonCode: '12', additionalData: { refusalReasonRaw: /^51 / } }],
    ['SIM-MIT-REVOKED', { refusalReasonCode: '26', additionalData: { refusalReasonRaw: /^R1 / } }],
  ])('%s refuses what the merchant initiates', async (holderName, refusal) => {
    const token = await save(client, holderName, { holderName });
    for (const recurringProcessingModel of ['Subscription', 'UnscheduledCardOnFile']) {
      const answer = await client.pay(storedCharge(holderName, token, { recurringProcessingModel }));
      expect(answer.json).toMatchObject({
        resultCode: 'Refused',
        refusalReasonCode: refusal.refusalReasonCode,
      });
      expect(answer.json.additionalData?.refusalReasonRaw).toMatch(refusal.additionalData.refusalReasonRaw);
    }
    const there = { recurringProcessingModel: 'CardOnFile' };
    expect((await client.pay(storedCharge(holderName, token, there))).json.resultCode).toBe('Authorised');
    expect((await readLedger(db.pool, holderName)).charges).toHaveLength(2);
  });

  test('may stand in the description of the payment that saves', async () => {
    const lineItems = [{ description: 'SIM-MIT-DECLINE' }];
    const token = await save(client, 'described', {}, { lineItems });
    const answer = await client.pay(storedCharge('described', token));
    expect(answer.json).toMatchObject({ resultCode: 'Refused', refusalReasonCode: '12' });
  });

  test('gives way to the directive of the charge', async () => {
    const token = await save(client, 'gives-way', { holderName: 'SIM-MIT-DECLINE' });
    const lineItems = [{ description: 'CCREJECT-LS' }];
    const answer = await client.pay(storedCharge('gives-way', token, { lineItems }));
    expect(answer.json).toMatchObject({ resultCode: 'Refused', refusalReasonCode: '5' });
  });

  test('is the latest one of the card', async () => {
    const token = await save(client, 'latest');
    expect(await save(client, 'latest', { holderName: 'SIM-MIT-DECLINE' })).toBe(token);
    expect((await client.pay(storedCharge('latest', token))).json.resultCode).toBe('Refused');
  });

  test('SIM-SAVE-LATE sends the token five seconds later, and only then', async () => {
    const late = createTestClient(db.pool);
    const body = payment('late', { holderName: 'SIM-SAVE-LATE' }, saving);
    const answer = await late.pay(body, 'key');
    expect(answer.json.resultCode).toBe('Authorised');
    expect(tokenIn(answer)).toBeUndefined();
    expect((await late.pass('late', 4)).map(({ item }) => item.eventCode)).toEqual(['AUTHORISATION']);
    const [notified] = await late.pass('late', 1);
    expect(notified?.item).toMatchObject({
      eventCode: 'RECURRING_CONTRACT',
      pspReference: expect.stringMatching(/^[A-Z0-9]{16}$/),
      originalReference: answer.json.pspReference,
      merchantReference: body.reference,
      success: 'true',
      additionalData: { shopperReference: 'cus_1' },
    });
    const charge = storedCharge('late', notified?.item.pspReference ?? '');
    expect((await late.pay(charge)).json.resultCode).toBe('Authorised');
  });
});

describe('the cards of a shopper', () => {
  const path = (account: string, token = '', shopper = 'cus_1') =>
    `/storedPaymentMethods${token && `/${token}`}?shopperReference=${shopper}&merchantAccount=${account}`;

  test('are listed without their numbers', async () => {
    const token = await save(client, 'list', { holderName: 'Ada Lovelace' });
    const answer = await client.ask('GET', path('list'));
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toEqual({
      merchantAccount: 'list',
      shopperReference: 'cus_1',
      storedPaymentMethods: [
        {
          id: token,
          type: 'scheme',
          brand: 'visa',
          cardBin: '411111',
          lastFour: '1111',
          expiryMonth: '03',
          expiryYear: '30',
          holderName: 'Ada Lovelace',
          networkTxReference: expect.stringMatching(/^\d{15}$/),
          shopperReference: 'cus_1',
          supportedRecurringProcessingModels: ['CardOnFile'],
        },
      ],
    });
    expect(JSON.parse((await client.ask('GET', path('list', '', 'cus_2'))).text)).toMatchObject({
      storedPaymentMethods: [],
    });
  });

  test('are forgotten on request, once, and get another token afterwards', async () => {
    const token = await save(client, 'forget');
    for (const foreign of [
      path('forget', token, 'cus_2'),
      path('elsewhere', token),
      path('forget', 'NONE'),
    ]) {
      expect(await client.ask('DELETE', foreign)).toMatchObject({ status: 404, json: { status: 404 } });
    }
    expect(await client.ask('DELETE', path('forget', token))).toMatchObject({ status: 204, text: '' });
    expect(await client.ask('DELETE', path('forget', token))).toMatchObject({ status: 404 });
    expect(await client.pay(storedCharge('forget', token))).toMatchObject({
      status: 422,
      json: { errorCode: '803' },
    });
    const next = await save(client, 'forget');
    expect(next).not.toBe(token);
    expect((await client.pay(storedCharge('forget', next))).json.resultCode).toBe('Authorised');
  });

  test.each([
    ['no account', '/storedPaymentMethods?shopperReference=cus_1', 403],
    ['no shopper', '/storedPaymentMethods?merchantAccount=list', 422],
  ])('are not notified with %s', async (_what, bad, status) => {
    expect(await client.ask('GET', bad)).toMatchObject({ status });
  });

  test('are not notified by another method', async () => {
    expect(await client.post('/storedPaymentMethods', {})).toMatchObject({
      status: 405,
      headers: { allow: 'GET' },
    });
  });
});
