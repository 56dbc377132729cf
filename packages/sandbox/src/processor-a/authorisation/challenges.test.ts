import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BuyerOutcome } from '../../buyer/virtual-buyer.ts';
import { readLedger, readReceived } from '../../ledger.ts';
import { createTestDatabase, type TestDatabase } from '../../test-database.ts';
import { passChallenge } from '../saved-methods/test-stored-cards.ts';
import { createTestClient, payment, type TestClient } from '../test-client.ts';
import { answerChallenge } from './challenges.ts';

let db: TestDatabase;
let client: TestClient;

beforeAll(async () => {
  db = await createTestDatabase();
  client = createTestClient(db.pool);
});
afterAll(() => db.drop());

const number = '4917610000000000';

async function charges(account: string) {
  return (await readLedger(db.pool, account)).charges;
}

async function begin(account: string, card: Record<string, unknown> = { number }, own = client) {
  const body = payment(account, card);
  const answer = await own.pay(body, `key-${body.reference}`);
  expect(answer).toMatchObject({
    status: 200,
    json: {
      resultCode: 'RedirectShopper',
      action: { type: 'redirect', method: 'GET', paymentMethodType: 'scheme' },
    },
  });
  const url = answer.json.action?.url ?? '';
  const [, id = ''] =
    /^https:\/\/till\.example\/sandbox\/processor-a\/challenge\/([A-Z0-9]+)$/.exec(url) ?? [];
  return { body, id, answer };
}

async function resultOf(id: string, outcome: BuyerOutcome): Promise<string> {
  const resolved = await answerChallenge(client.deps, id, outcome);
  const url = new URL(resolved?.returnUrl ?? '');
  expect(url.pathname).toBe('/checkout/return/token');
  return url.searchParams.get('redirectResult') ?? '';
}

const details = (redirectResult: string, key?: string) =>
  client.post('/payments/details', { details: { redirectResult } }, key);

describe('a challenge', () => {
  test.each<[string, BuyerOutcome, object]>([
    [number, 'approved', { resultCode: 'Authorised', additionalData: { liabilityShift: 'true', eci: '05' } }],
    [
      number,
      'failed',
      {
        resultCode: 'Refused',
        refusalReasonCode: '11',
        threeDS2Result: { transStatus: 'N', transStatusReason: '01' },
      },
    ],
    [
      number,
      'abandoned',
      { resultCode: 'Refused', refusalReasonCode: '11', threeDS2Result: { challengeCancel: '01' } },
    ],
    ['5000550000000029', 'approved', { resultCode: 'Authorised' }],
    ['4868719181895556', 'approved', { resultCode: 'Refused', threeDS2Result: { transStatus: 'N' } }],
    ['4868719557718580', 'approved', { resultCode: 'Refused', threeDS2Result: { transStatus: 'U' } }],
  ])('of %s, %s', async (card, outcome, expected) => {
    const account = `${card}-${outcome}`;
    const { body, id } = await begin(account, { number: card });
    expect(await charges(account)).toEqual([]);
    const redirectResult = await resultOf(id, outcome);
    expect(await charges(account)).toEqual([]);
    const answer = await details(redirectResult, `details-${body.reference}`);
    expect(answer).toMatchObject({ status: 200, json: { merchantReference: body.reference, ...expected } });
    expect(await details(redirectResult, `details-${body.reference}`)).toEqual(answer);
    expect(await details(redirectResult, 'another-key')).toMatchObject({ status: 422 });
    expect(await details(redirectResult)).toMatchObject({ status: 422 });
    const charged = answer.json.resultCode === 'Authorised';
    expect(await charges(account)).toEqual(
      charged ? [{ reference: body.reference, amount: 1999, currency: 'EUR', status: 'captured' }] : [],
    );
    expect(await readReceived(db.pool, account, body.reference)).toHaveLength(charged ? 1 : 0);
  });

  test('is not met where 3-D Secure is off, nor by a card that is refused anyway', async () => {
    const off = { authenticationData: { attemptAuthentication: 'never' } };
    expect(await client.pay(payment('off', { number }, off))).toMatchObject({
      json: { resultCode: 'Authorised' },
    });
    expect(await client.pay(payment('off', { number, holderName: 'DECLINED' }))).toMatchObject({
      json: { resultCode: 'Refused' },
    });
  });

  test('replays its redirect, and takes the first answer of the buyer', async () => {
    const { body, id, answer } = await begin('first');
    expect(await client.pay(body, `key-${body.reference}`)).toEqual(answer);
    const redirectResult = await resultOf(id, 'failed');
    expect(await resultOf(id, 'approved')).toBe(redirectResult);
    expect(await details(redirectResult)).toMatchObject({ json: { resultCode: 'Refused' } });
  });

  test('completed many times at once charges once', async () => {
    const { id } = await begin('race');
    const redirectResult = await resultOf(id, 'approved');
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        details(redirectResult, index < 6 ? 'same' : `other-${index}`),
      ),
    );
    expect(answers.filter((answer) => answer.json.resultCode === 'Authorised').length).toBeGreaterThan(0);
    expect(await charges('race')).toHaveLength(1);
  });

  test.each(['', 'sim_UNKNOWN'])('has no result %j', async (redirectResult) => {
    expect(await details(redirectResult, 'unknown')).toMatchObject({
      status: 422,
      json: { errorType: 'validation' },
    });
  });

  test('that never comes back has no answer, and one that is 12 hours old neither', async () => {
    const { id } = await begin('silent', { number: '4868719494697210' });
    expect(await answerChallenge(client.deps, id, 'approved')).toBeNull();
    const later = createTestClient(db.pool);
    const old = await begin('old', { number }, later);
    later.clock.now = new Date(later.clock.now.getTime() + 12 * 3_600_000 + 1);
    expect(await answerChallenge(later.deps, old.id, 'approved')).toBeNull();
  });

  test.each([
    ['SIM-3DS-PASS', 'Authorised'],
    ['SIM-3DS-FAIL', 'Refused'],
    ['SIM-3DS-CANCEL', 'Refused'],
  ])('%s is answered a second later', async (holderName, resultCode) => {
    const own = createTestClient(db.pool);
    await begin(holderName, { number, holderName }, own);
    while (own.waits.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(own.waits[0]?.ms).toBe(1000);
    own.waits[0]?.release();
    await expect.poll(() => own.visited).toHaveLength(1);
    const redirectResult = new URL(own.visited[0] ?? '').searchParams.get('redirectResult') ?? '';
    expect(await details(redirectResult)).toMatchObject({ json: { resultCode } });
  });

  test('keeps neither card number nor security code', async () => {
    await begin('secrets', { number: '5454545454545454', cvc: '918', holderName: '5454 5454 5454 5454' });
    const dump = await db.dump();
    expect(dump).toContain('545454******5454');
    expect(dump).not.toMatch(/5454[ -]?5454[ -]?5454[ -]?5454/);
    expect(dump).not.toMatch(/\b918\b/);
  });
});

describe('a cancellation', () => {
  const cancel = (merchantAccount: string, paymentReference: unknown, key?: string) =>
    client.post('/cancels', { merchantAccount, paymentReference, reference: 'void' }, key);

  test('stops a challenge, before or after the buyer answered', async () => {
    const waiting = await begin('stopped');
    await cancel('stopped', waiting.body.reference);
    expect(await answerChallenge(client.deps, waiting.id, 'approved')).toBeNull();
    const answered = await begin('stopped');
    const redirectResult = await resultOf(answered.id, 'approved');
    await cancel('stopped', answered.body.reference);
    expect(await details(redirectResult, 'late')).toMatchObject({
      status: 200,
      json: { resultCode: 'Cancelled', merchantReference: answered.body.reference },
    });
    expect(await charges('stopped')).toEqual([]);
  });

  test('at the same time as a completion ends the challenge, or says that it came too late', async () => {
    const own = createTestClient(db.pool);
    for (let round = 0; round < 10; round++) {
      const account = `close-${round}`;
      const { id, body } = await begin(account);
      const redirectResult = await resultOf(id, 'approved');
      await Promise.all([details(redirectResult, `d-${round}`), cancel(account, body.reference, 'c')]);
      const notified = (await own.pass(account, 1)).map(({ item }) => item);
      const cancelled = notified.find(({ eventCode }) => eventCode === 'TECHNICAL_CANCEL');
      const charged = await charges(account);
      expect(charged).toMatchObject(cancelled?.success === 'false' ? [{ status: 'captured' }] : []);
      expect(cancelled).toBeDefined();
    }
  });
});

test('directives count when the challenge is over', async () => {
  const card = { number, holderName: 'SIM-DISPUTE-CHARGEBACK' };
  const lineItems = [{ description: 'SIM-WEBHOOK-FIRST' }];
  const own = createTestClient(db.pool);
  const redirect = await own.pay(payment('directives', card, { lineItems }));
  expect(await own.pass('directives', 60)).toEqual([]);
  await passChallenge(own, redirect);
  expect(own.delivered.map(({ item }) => item.eventCode)).toEqual(['AUTHORISATION']);
  expect((await own.pass('directives', 5)).map(({ item }) => item.eventCode)).toEqual([
    'NOTIFICATION_OF_CHARGEBACK',
  ]);
});
