import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readLedger } from '../../ledger.ts';
import { collect } from '../../lib/test-batch.ts';
import { createTestDatabase, type TestDatabase } from '../../test-database.ts';
import { createTestClient, type Delivered, payment, type TestClient } from '../test-client.ts';
import { settleRefundA } from './settle-refund.ts';

let db: TestDatabase;

beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

let refunds = 0;

/** Charges 19.99 EUR and delivers the notification. */
async function charge(client: TestClient, account: string, rest: object = {}) {
  const body = payment(account, {}, { ...rest });
  const { json } = await client.pay(body);
  await client.pass(account, 1);
  return {
    reference: body.reference,
    path: `/payments/${json.pspReference}/refunds`,
    psp: json.pspReference,
  };
}

function refundOf(account: string, value: number, note?: string) {
  refunds += 1;
  return {
    merchantAccount: account,
    reference: `re_${refunds}`,
    amount: { value, currency: 'EUR' },
    merchantRefundReason: 'CUSTOMER REQUEST',
    ...(note === undefined ? {} : { applicationInfo: { merchantApplication: { name: note } } }),
  };
}

const events = (deliveries: readonly Delivered[]) =>
  deliveries.map(({ item }) => `${item.eventCode} ${item.success}`);

const statuses = async (account: string) =>
  (await readLedger(db.pool, account)).refunds.map(({ status }) => status);

describe('a refund', () => {
  test('is received, then notified a second later, when the money has gone back', async () => {
    const client = createTestClient(db.pool);
    const paid = await charge(client, 'plain');
    const body = refundOf('plain', 1999);
    const answer = await client.post(paid.path, body, body.reference);
    expect(answer).toMatchObject({ status: 201, headers: { 'idempotency-key': body.reference } });
    expect(answer.json).toEqual({
      merchantAccount: 'plain',
      paymentPspReference: paid.psp,
      pspReference: expect.stringMatching(/^[A-Z0-9]{16}$/),
      reference: body.reference,
      merchantRefundReason: 'CUSTOMER REQUEST',
      amount: { value: 1999, currency: 'EUR' },
      status: 'received',
    });
    const row = {
      reference: body.reference,
      payment_reference: paid.reference,
      amount: 1999,
      currency: 'EUR',
    };
    expect((await readLedger(db.pool, 'plain')).refunds).toEqual([{ ...row, status: 'pending' }]);
    const notified = await client.pass('plain', 1);
    expect(notified.map(({ item }) => item)).toMatchObject([
      {
        eventCode: 'REFUND',
        success: 'true',
        pspReference: answer.json.pspReference,
        originalReference: paid.psp,
        merchantReference: body.reference,
        amount: { value: 1999, currency: 'EUR' },
        reason: '',
      },
    ]);
    expect((await readLedger(db.pool, 'plain')).refunds).toEqual([{ ...row, status: 'succeeded' }]);
    expect(await client.pass('plain', 60)).toEqual([]);
  });

  test('is given once under one key, also when sent many times at once', async () => {
    const client = createTestClient(db.pool);
    const { path } = await charge(client, 'once');
    const body = refundOf('once', 1000);
    const answers = await Promise.all([1, 2, 3, 4].map(() => client.post(path, body, body.reference)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await client.post(path, body, body.reference)).toEqual(answers[0]);
    expect((await readLedger(db.pool, 'once')).refunds).toHaveLength(1);
    expect(events(await client.pass('once', 1))).toEqual(['REFUND true']);
  });

  test('may be partial, never more than was captured in all, also concurrently', async () => {
    const client = createTestClient(db.pool);
    const { path } = await charge(client, 'parts');
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => client.post(path, refundOf('parts', 500))),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    for (const { json } of answers.filter(({ status }) => status !== 201)) {
      expect(json).toMatchObject({ status: 422, errorCode: '137' });
    }
    const ids = answers.map(({ json }) => json.pspReference);
    expect(new Set(ids).size).toBe(ids.length);
    expect(await client.post(path, refundOf('parts', 500))).toMatchObject({ status: 422 });
    expect(await client.post(path, refundOf('parts', 499))).toMatchObject({ status: 201 });
    const given = (await readLedger(db.pool, 'parts')).refunds.map(({ amount }) => amount);
    expect(given.reduce((sum, amount) => sum + amount, 0)).toBe(1999);
  });

  test('counts in the units of the processor and is kept in those of the merchant', async () => {
    const client = createTestClient(db.pool);
    const { path } = await charge(client, 'units', { amount: { value: 10_000, currency: 'ISK' } });
    const odd = { ...refundOf('units', 0), amount: { value: 4050, currency: 'ISK' } };
    expect(await client.post(path, odd)).toMatchObject({ status: 422, json: { errorCode: '137' } });
    const whole = { ...odd, amount: { value: 4000, currency: 'ISK' } };
    expect(await client.post(path, whole)).toMatchObject({ status: 201 });
    expect((await readLedger(db.pool, 'units')).refunds).toMatchObject([{ amount: 40 }]);
  });

  test.each<[string, object, string]>([
    ['no amount', { amount: undefined }, '137'],
    ['an amount of zero', { amount: { value: 0, currency: 'EUR' } }, '137'],
    ['more than was captured', { amount: { value: 2000, currency: 'EUR' } }, '137'],
    ['another currency', { amount: { value: 1, currency: 'USD' } }, '138'],
    ['a reference of 81 characters', { reference: 'x'.repeat(81) }, '14_018'],
  ])('with %s is refused', async (what, rest, errorCode) => {
    const client = createTestClient(db.pool);
    const account = `refused-${what}`;
    const { path } = await charge(client, account);
    const answer = await client.post(path, { ...refundOf(account, 100), ...rest });
    expect(answer).toMatchObject({ status: 422, json: { errorCode } });
    expect((await readLedger(db.pool, account)).refunds).toEqual([]);
  });

  test('of nothing that was captured is refused', async () => {
    const client = createTestClient(db.pool);
    const held = await charge(client, 'uncaptured', { additionalData: { manualCapture: 'true' } });
    const declined = await charge(client, 'uncaptured', { lineItems: [{ description: 'DECLINED' }] });
    const elsewhere = await charge(client, 'elsewhere');
    for (const { path } of [held, declined, elsewhere, { path: '/payments/AAAABBBBCCCCDDDD/refunds' }]) {
      const answer = await client.post(path, refundOf('uncaptured', 100));
      expect(answer).toMatchObject({ status: 422, json: { errorCode: '167' } });
    }
    expect((await readLedger(db.pool, 'uncaptured')).refunds).toEqual([]);
  });
});

describe('the directive of a refund', () => {
  test('SIM-REFUND-FAIL-SYNC refuses it', async () => {
    const client = createTestClient(db.pool);
    const { path } = await charge(client, 'sync');
    const body = refundOf('sync', 100, 'SIM-REFUND-FAIL-SYNC');
    const answer = await client.post(path, body, 'key');
    expect(answer).toMatchObject({ status: 422, json: { errorCode: '167' } });
    expect(await client.post(path, body, 'key')).toEqual(answer);
    expect(await statuses('sync')).toEqual([]);
    expect(await client.pass('sync', 60)).toEqual([]);
  });

  test('SIM-REFUND-FAIL-ASYNC fails it later, and the money can be refunded again', async () => {
    const client = createTestClient(db.pool);
    const { path } = await charge(client, 'async');
    await client.post(path, refundOf('async', 1999, 'SIM-REFUND-FAIL-ASYNC'));
    const [notified] = await client.pass('async', 1);
    expect(notified?.item).toMatchObject({
      eventCode: 'REFUND',
      success: 'false',
      reason: 'Insufficient balance on payment',
    });
    expect(await statuses('async')).toEqual(['failed']);
    expect(await client.post(path, refundOf('async', 1999))).toMatchObject({ status: 201 });
  });

  test('SIM-REFUND-REVERSED takes it back ten seconds after it succeeded', async () => {
    const client = createTestClient(db.pool);
    const { path } = await charge(client, 'reversed');
    await client.post(path, refundOf('reversed', 1999, 'SIM-REFUND-REVERSED'));
    expect(events(await client.pass('reversed', 1))).toEqual(['REFUND true']);
    expect(await statuses('reversed')).toEqual(['succeeded']);
    expect(await client.pass('reversed', 9)).toEqual([]);
    expect(events(await client.pass('reversed', 1))).toEqual(['REFUNDED_REVERSED true']);
    expect(await statuses('reversed')).toEqual(['failed']);
  });

  test('a reversed refund stays so when the notification of its success is delivered last', async () => {
    const client = createTestClient(db.pool);
    const { path } = await charge(client, 'disorder');
    await client.post(path, refundOf('disorder', 1999, 'SIM-REFUND-REVERSED'));
    client.receiver.answer = ({ item }) => (item.eventCode === 'REFUND' ? 500 : 200);
    await client.pass('disorder', 1);
    await client.pass('disorder', 10);
    client.receiver.answer = () => 200;
    expect(events(await client.pass('disorder', 60))).toEqual(['REFUND true']);
    expect(await statuses('disorder')).toEqual(['failed']);
  });

  test.each([
    ['SIM-REFUND-502', { status: 500, json: { errorType: 'internal' } }],
    ['SIM-REFUND-TIMEOUT', { message: 'client timed out' }],
  ])('%s strikes once for each key and gives nothing back', async (note, shown) => {
    const client = createTestClient(db.pool);
    const { path } = await charge(client, note);
    const body = refundOf(note, 100, note);
    const timeout = new AbortController();
    const sent = client.post(path, body, 'key', timeout.signal).catch((error: unknown) => error);
    if (note === 'SIM-REFUND-TIMEOUT') {
      while (client.waits.length === 0) await new Promise((resolve) => setImmediate(resolve));
      timeout.abort(new Error('client timed out'));
    }
    expect(await sent).toMatchObject(shown);
    expect(await statuses(note)).toEqual([]);
    expect(await client.post(path, body, 'key')).toMatchObject({ status: 201 });
    expect(await statuses(note)).toEqual(['pending']);
  });
});

describe('settling a refund', () => {
  test.each(['succeeded', 'failed'] as const)(
    'makes a pending refund %s, sends its notification at once, and works once',
    async (outcome) => {
      const client = createTestClient(db.pool);
      const account = `settle-${outcome}`;
      const { path } = await charge(client, account);
      const body = refundOf(account, 100, 'SIM-REFUND-PENDING');
      await client.post(path, body);
      expect(await client.pass(account, 3600)).toEqual([]);
      expect(await statuses(account)).toEqual(['pending']);
      expect(await settleRefundA(client.deps, account, body.reference, outcome)).toBe(true);
      expect(await statuses(account)).toEqual([outcome]);
      expect(await settleRefundA(client.deps, account, body.reference, 'succeeded')).toBe(false);
      const notified = await client.pass(account, 0);
      expect(events(notified)).toEqual([`REFUND ${outcome === 'succeeded'}`]);
      expect(notified[0]?.item.merchantReference).toBe(body.reference);
      expect(await statuses(account)).toEqual([outcome]);
    },
  );

  test.each([
    ['succeeded', undefined],
    ['failed', undefined],
    ['failed', 'SIM-REFUND-REVERSED'],
    ['succeeded', 'SIM-REFUND-FAIL-ASYNC'],
  ] as const)('as %s before its time replaces what was to come of %s', async (outcome, note) => {
    const client = createTestClient(db.pool);
    const account = `early-${outcome}-${note}`;
    const { path } = await charge(client, account);
    const body = refundOf(account, 100, note);
    await client.post(path, body);
    expect(await settleRefundA(client.deps, account, body.reference, outcome)).toBe(true);
    expect(events(await client.pass(account, 60))).toEqual([`REFUND ${outcome === 'succeeded'}`]);
    expect(await statuses(account)).toEqual([outcome]);
  });

  test('that is settled, unknown, or of another account changes nothing', async () => {
    const client = createTestClient(db.pool);
    const { path } = await charge(client, 'settled');
    const body = refundOf('settled', 100);
    await client.post(path, body);
    await client.pass('settled', 1);
    for (const [account, reference] of [
      ['settled', body.reference],
      ['settled', 're_unknown'],
      ['another', body.reference],
    ] as const) {
      expect(await settleRefundA(client.deps, account, reference, 'failed')).toBe(false);
    }
    expect(await statuses('settled')).toEqual(['succeeded']);
  });
});

describe('concurrent refunds', () => {
  test('of several payments share a statement, and those of one payment never exceed it', async () => {
    const statements: string[] = [];
    const query = (text: string, values: readonly unknown[] = []) => {
      statements.push(text);
      return db.pool.query(text, [...values]);
    };
    const client = createTestClient({ query }, collect);
    const paid = await Promise.all(Array.from({ length: 8 }, () => charge(client, 'several')));
    const refund = ({ path }: { path: string }, value: number) =>
      client.post(path, refundOf('several', value));
    statements.length = 0;
    const answers = await Promise.all(paid.map((one) => refund(one, 1000)));
    expect(answers.map(({ status }) => status)).toEqual(paid.map(() => 201));
    expect(statements.filter((text) => text.includes('insert into sandbox.refunds'))).toHaveLength(1);
    const [first] = paid as [(typeof paid)[number]];
    const rest = await Promise.all([refund(first, 999), refund(first, 999), refund(first, 999)]);
    expect(rest.map(({ status }) => status).toSorted()).toEqual([201, 422, 422]);
    expect((await readLedger(db.pool, 'several')).refunds).toHaveLength(paid.length + 1);
    await client.pass('several', 60);
    expect(new Set(await statuses('several'))).toEqual(new Set(['succeeded']));
  });
});
