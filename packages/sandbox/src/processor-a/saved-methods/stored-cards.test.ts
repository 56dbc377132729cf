import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readLedger, readReceived } from '../../ledger.ts';
import { createTestDatabase, type TestDatabase } from '../../test-database.ts';
import { createTestClient, payment, type TestClient, testPan } from '../test-client.ts';
import { passChallenge, save, saving, storedCharge, tokenIn } from './test-stored-cards.ts';

let db: TestDatabase;
let client: TestClient;

beforeAll(async () => {
  db = await createTestDatabase();
  client = createTestClient(db.pool);
});
afterAll(() => db.drop());

const challengeCard = { number: '4917610000000000' };

describe('a payment that stores its card', () => {
  test('answers with the token and how it came about', async () => {
    const answer = await client.pay(payment('saves', {}, saving), 'first');
    expect(answer.json.additionalData).toMatchObject({
      'tokenization.store.operationType': 'created',
      'tokenization.shopperReference': 'cus_1',
      networkTxReference: expect.stringMatching(/^\d{15}$/),
    });
    expect(tokenIn(answer)).toMatch(/^[A-Z0-9]{16}$/);
    expect(await client.pay(payment('saves', {}, saving), 'first')).toEqual(answer);
  });

  test('gives the same card of the same shopper the same token', async () => {
    const token = await save(client, 'same');
    const again = await client.pay(payment('same', { holderName: 'A. Lovelace' }, saving));
    expect(again.json.additionalData).toMatchObject({
      'tokenization.storedPaymentMethodId': token,
      'tokenization.store.operationType': 'alreadyExisting',
    });
    const others = [
      await save(client, 'same', { number: '5555555555554444' }),
      await save(client, 'same', { expiryYear: '2031' }),
      await save(client, 'same', {}, { shopperReference: 'cus_2' }),
      await save(client, 'same-elsewhere'),
    ];
    expect(new Set([token, ...others]).size).toBe(5);
  });

  test('sent at once under two keys stores one card', async () => {
    const answers = await Promise.all(
      ['one', 'two'].map((key) => client.pay(payment('at-once', {}, saving), key)),
    );
    expect(new Set(answers.map(tokenIn)).size).toBe(1);
    const list = await client.ask(
      'GET',
      '/storedPaymentMethods?shopperReference=cus_1&merchantAccount=at-once',
    );
    expect(JSON.parse(list.text).storedPaymentMethods).toHaveLength(1);
  });

  test('stores it after a challenge as well', async () => {
    const redirect = await client.pay(payment('challenged', challengeCard, saving));
    expect(redirect.json.resultCode).toBe('RedirectShopper');
    expect(tokenIn(redirect)).toBeUndefined();
    const final = await passChallenge(client, redirect);
    expect(final.json.resultCode).toBe('Authorised');
    const charge = storedCharge('challenged', tokenIn(final) ?? '');
    expect((await client.pay(charge)).json.resultCode).toBe('Authorised');
  });

  test.each([
    ['is declined', { holderName: 'DECLINED' }],
    ['asks that nothing be stored', { holderName: 'SIM-SAVE-NONE' }],
  ])('stores nothing where it %s', async (what, card) => {
    const answer = await client.pay(payment(`nothing-${what}`, card, saving));
    expect(answer.status).toBe(200);
    expect(tokenIn(answer)).toBeUndefined();
    const { rows } = await db.pool.query('select from sandbox.instruments where merchant_account = $1', [
      `nothing-${what}`,
    ]);
    expect(rows).toHaveLength(0);
  });

  test.each([
    ['no shopper', { shopperReference: undefined }],
    ['too short a shopper', { shopperReference: 'cu' }],
    ['too long a shopper', { shopperReference: 'c'.repeat(257) }],
    ['no model', { recurringProcessingModel: undefined }],
    ['an unknown model', { recurringProcessingModel: 'Sometimes' }],
    ['another interaction', { shopperInteraction: 'ContAuth' }],
  ])('with %s is refused', async (what, rest) => {
    const answer = await client.pay(payment('invalid', {}, { ...saving, ...rest }), what);
    expect(answer).toMatchObject({ status: 422, json: { errorCode: '14_018' } });
    expect((await readLedger(db.pool, 'invalid')).charges).toEqual([]);
  });

  test('keeps neither number nor security code', async () => {
    const card = { number: '5577000055770004', cvc: '864', holderName: '5577 0000 5577 0004' };
    const token = await save(client, 'secrets', card);
    await client.pay(
      storedCharge('secrets', token, {
        paymentMethod: { type: 'scheme', storedPaymentMethodId: token, cvc: '864' },
      }),
    );
    const dump = await db.dump();
    expect(dump).toContain(token);
    expect(dump).not.toMatch(/5577[ -]?0000[ -]?5577[ -]?0004/);
    expect(dump).not.toMatch(/\b864\b/);
    expect(dump).not.toContain(testPan);
  });
});

describe('a charge of a stored card', () => {
  test.each(['Subscription', 'UnscheduledCardOnFile', 'CardOnFile'])('for %s is approved', async (model) => {
    const account = `charge-${model}`;
    const token = await save(client, account);
    const body = storedCharge(account, token, { recurringProcessingModel: model });
    const answer = await client.pay(body, 'key');
    expect(answer.json).toMatchObject({
      resultCode: 'Authorised',
      merchantReference: body.reference,
      additionalData: { cardBin: '411111', cardSummary: '1111', expiryDate: '3/2030', paymentMethod: 'visa' },
    });
    expect(answer.json.additionalData?.cvcResult).toBe('6 No CVC/CVV provided');
    expect(await client.pay(body, 'key')).toEqual(answer);
    expect((await readLedger(db.pool, account)).charges).toHaveLength(2);
    expect(await readReceived(db.pool, account, body.reference)).toEqual([body]);
  });

  test('takes a security code and does not keep it', async () => {
    const token = await save(client, 'with-cvc');
    const method = { type: 'scheme', storedPaymentMethodId: token };
    const body = storedCharge('with-cvc', token, {
      recurringProcessingModel: 'CardOnFile',
      paymentMethod: { ...method, cvc: '737' },
    });
    expect((await client.pay(body)).json.additionalData?.cvcResult).toBe('1 Matches');
    expect(await readReceived(db.pool, 'with-cvc', body.reference)).toMatchObject([
      { paymentMethod: method },
    ]);
    const short = storedCharge('with-cvc', token, { paymentMethod: { ...method, cvc: '7' } });
    expect(await client.pay(short)).toMatchObject({ status: 422, json: { errorCode: '103' } });
  });

  test.each<[string, object, string]>([
    ['an unknown token', { paymentMethod: { type: 'scheme', storedPaymentMethodId: 'UNKNOWN' } }, '803'],
    ["another shopper's token", { shopperReference: 'cus_2' }, '800'],
    ['no shopper', { shopperReference: undefined }, '14_018'],
    ['no model', { recurringProcessingModel: undefined }, '14_018'],
    ['no interaction', { shopperInteraction: undefined }, '14_018'],
    ['no reference', { reference: undefined }, '130'],
    [
      'another type of method',
      { paymentMethod: { type: 'ideal', storedPaymentMethodId: 'UNKNOWN' } },
      '14_018',
    ],
  ])('with %s is refused and charges nothing', async (what, rest, errorCode) => {
    const account = `refused-${what}`;
    const body = storedCharge(account, await save(client, account), rest);
    expect(await client.pay(body)).toMatchObject({ status: 422, json: { errorCode } });
    expect((await readLedger(db.pool, account)).charges).toHaveLength(1);
  });

  test("of another account's token is refused", async () => {
    const token = await save(client, 'owner');
    const answer = await client.pay(storedCharge('thief', token));
    expect(answer).toMatchObject({ status: 422, json: { errorCode: '803' } });
  });

  test('whose expiry has passed is refused as expired', async () => {
    const later = createTestClient(db.pool);
    const token = await save(client, 'expired', { expiryMonth: '12', expiryYear: '2026' });
    later.clock.now = new Date('2026-12-31T23:59:59Z');
    expect((await later.pay(storedCharge('expired', token))).json.resultCode).toBe('Authorised');
    later.clock.now = new Date('2027-01-01T00:00:00Z');
    expect((await later.pay(storedCharge('expired', token))).json).toMatchObject({
      resultCode: 'Refused',
      refusalReasonCode: '6',
    });
  });

  test('may be challenged while the shopper is there, like the card itself, and never without', async () => {
    const first = await passChallenge(client, await client.pay(payment('sca', challengeCard, saving)));
    const token = tokenIn(first) ?? '';
    const there = { recurringProcessingModel: 'CardOnFile' };
    const onSession = await client.pay(storedCharge('sca', token, there));
    expect(onSession.json.resultCode).toBe('RedirectShopper');
    expect((await passChallenge(client, onSession)).json).toMatchObject({
      resultCode: 'Authorised',
      additionalData: { liabilityShift: 'true' },
    });
    const off = { ...there, authenticationData: { attemptAuthentication: 'never' } };
    expect((await client.pay(storedCharge('sca', token, off))).json.resultCode).toBe('Authorised');
    expect((await client.pay(storedCharge('sca', token))).json.resultCode).toBe('Authorised');
  });

  test('may be authenticated without a challenge', async () => {
    const token = await save(client, 'frictionless', { number: '5201281505129736' });
    const there = { recurringProcessingModel: 'CardOnFile' };
    const answer = await client.pay(storedCharge('frictionless', token, there));
    expect(answer.json.additionalData).toMatchObject({ liabilityShift: 'true', eci: '02' });
    const away = await client.pay(storedCharge('frictionless', token));
    expect(away.json.additionalData).toMatchObject({ liabilityShift: 'false', threeDOffered: 'false' });
  });
});
