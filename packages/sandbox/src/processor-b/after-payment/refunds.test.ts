import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readLedger } from '../../ledger.ts';
import { createTestDatabase, type TestDatabase } from '../../test-database.ts';
import {
  captured,
  cardSource,
  createTestClient,
  issue,
  order,
  ordersPath,
  referenceOf,
  type TestClient,
  untilWaiting,
} from '../test-client.ts';
import { settleRefundB } from './refunds.ts';

let db: TestDatabase;
let client: TestClient;
let keys = 0;

beforeAll(async () => {
  db = await createTestDatabase();
  client = createTestClient(db.pool);
});
afterAll(() => db.drop());

type Fields = Readonly<Record<string, unknown>>;

async function paid(account: string, change: Fields = {}) {
  const body = order(cardSource(), change);
  const answer = await client.post(account, ordersPath, body, `pay-${keys++}`);
  const { id } = captured(answer);
  return {
    reference: referenceOf(body),
    path: `/v2/payments/captures/${id}`,
    order: `${ordersPath}/${answer.json.id}`,
    refund: (request: Fields = {}, key = `refund-${keys++}`) =>
      client.post(account, `/v2/payments/captures/${id}/refund`, request, key),
  };
}

const euro = (value: string) => ({ amount: { currency_code: 'EUR', value } });
const refunds = async (account: string) => (await readLedger(db.pool, account)).refunds;
const statuses = async (account: string) => (await refunds(account)).map(({ status }) => status);
const notified = (account: string) =>
  client.deliveries
    .filter(({ url, event }) => url.endsWith(`/${account}`) && event.event_type.includes('REFUND'))
    .map(({ event }) => [event.event_type, event.resource.status]);

describe('a refund', () => {
  test('of everything that is left is pending, then completed and notified', async () => {
    const payment = await paid('whole');
    const answer = await payment.refund({ custom_id: 're_1', invoice_id: 're_1', note_to_payer: 'Sorry' });
    expect(answer).toMatchObject({
      status: 201,
      json: {
        id: expect.stringMatching(/^[A-Z0-9]{17}$/),
        status: 'PENDING',
        status_details: { reason: 'ECHECK' },
        ...euro('19.99'),
        custom_id: 're_1',
        invoice_id: 're_1',
        note_to_payer: 'Sorry',
        links: [{ rel: 'self' }, { rel: 'up', href: expect.stringContaining(payment.path) }],
      },
    });
    expect(await refunds('whole')).toEqual([
      {
        reference: 're_1',
        payment_reference: payment.reference,
        amount: 1999,
        currency: 'EUR',
        status: 'pending',
      },
    ]);
    expect((await client.get('whole', payment.path)).json.status).toBe('COMPLETED');
    await client.sendDue('whole', 1_000);
    expect(await statuses('whole')).toEqual(['succeeded']);
    expect(notified('whole')).toEqual([['PAYMENT.CAPTURE.REFUNDED', 'COMPLETED']]);
    const refunded = client.deliveries.find(({ event }) => event.event_type === 'PAYMENT.CAPTURE.REFUNDED');
    const { resource } = refunded?.event ?? {};
    expect(resource).toMatchObject({ id: answer.json.id, custom_id: 're_1', ...euro('19.99') });
    expect(resource.links).toContainEqual(
      expect.objectContaining({ rel: 'up', href: expect.stringContaining(payment.path) }),
    );
    expect(await client.get('whole', `/v2/payments/refunds/${answer.json.id}`)).toMatchObject({
      status: 200,
      json: { id: answer.json.id, status: 'COMPLETED' },
    });
    expect((await client.get('whole', payment.path)).json.status).toBe('REFUNDED');
    expect(await client.get('other', `/v2/payments/refunds/${answer.json.id}`)).toMatchObject({
      status: 404,
    });
  });

  test('never gives back more than was taken, also many at once', async () => {
    const payment = await paid('parts');
    expect(await payment.refund(euro('20.00'))).toMatchObject(issue('REFUND_AMOUNT_EXCEEDED'));
    expect(await payment.refund(euro('0.00'))).toMatchObject(issue('CANNOT_BE_ZERO_OR_NEGATIVE'));
    expect(await payment.refund({ amount: { currency_code: 'USD', value: '1.00' } })).toMatchObject(
      issue('REFUND_CAPTURE_CURRENCY_MISMATCH'),
    );
    const answers = await Promise.all(Array.from({ length: 6 }, () => payment.refund(euro('6.00'))));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    for (const refused of answers.filter(({ status }) => status !== 201)) {
      expect(refused).toMatchObject(issue('REFUND_AMOUNT_EXCEEDED'));
    }
    await client.sendDue('parts', 1_000);
    expect((await client.get('parts', payment.path)).json.status).toBe('PARTIALLY_REFUNDED');
    expect(await payment.refund()).toMatchObject({ status: 201, json: euro('1.99') });
    for (const request of [{}, euro('0.01')]) {
      expect(await payment.refund(request)).toMatchObject(issue('CAPTURE_FULLY_REFUNDED'));
    }
    expect((await refunds('parts')).map(({ amount }) => amount)).toEqual([600, 600, 600, 199]);
  });

  test('is given once for one request id', async () => {
    const payment = await paid('once');
    const request = { ...euro('5.00'), custom_id: 're_2' };
    const answers = await Promise.all(Array.from({ length: 10 }, () => payment.refund(request, 'same')));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(await refunds('once')).toHaveLength(1);
  });

  test('needs a capture of its own account that took money', async () => {
    const declined = order(cardSource({ name: 'DECLINED' }));
    const { id } = captured(await client.post('none', ordersPath, declined, `pay-${keys++}`));
    expect(await client.post('none', `/v2/payments/captures/${id}/refund`)).toMatchObject(
      issue('REFUND_NOT_ALLOWED'),
    );
    const payment = await paid('mine');
    expect(await client.post('theirs', `${payment.path}/refund`)).toMatchObject({ status: 404 });
    await payment.refund({ ...euro('1.00'), invoice_id: 're_3' });
    expect(await payment.refund({ ...euro('1.00'), invoice_id: 're_3' })).toMatchObject(
      issue('DUPLICATE_INVOICE_ID'),
    );
    expect(await payment.refund({ note_to_payer: 'x'.repeat(256) })).toMatchObject(
      issue('INVALID_STRING_LENGTH', 400),
    );
  });

  test('of a currency without decimals is written without', async () => {
    const payment = await paid('yen', { amount: { currency_code: 'JPY', value: '500' } });
    await payment.refund({ amount: { currency_code: 'JPY', value: '200' } });
    expect((await payment.refund()).json.amount).toEqual({ currency_code: 'JPY', value: '300' });
  });
});

describe('the note of a refund', () => {
  test('may have it refused', async () => {
    const payment = await paid('refused');
    expect(await payment.refund({ note_to_payer: 'SIM-REFUND-FAIL-SYNC' })).toMatchObject(
      issue('REFUND_NOT_ALLOWED'),
    );
    expect(await refunds('refused')).toEqual([]);
  });

  test('may make it fail later, so that its amount can be given back again', async () => {
    const payment = await paid('fails');
    await payment.refund({ note_to_payer: 'SIM-REFUND-FAIL-ASYNC' });
    expect(await payment.refund()).toMatchObject(issue('CAPTURE_FULLY_REFUNDED'));
    await client.sendDue('fails', 1_000);
    expect(notified('fails')).toEqual([['PAYMENT.REFUND.FAILED', 'FAILED']]);
    expect(await statuses('fails')).toEqual(['failed']);
    expect(await payment.refund()).toMatchObject({ status: 201 });
  });

  test('may take it back once it has succeeded', async () => {
    const payment = await paid('reversed');
    const { json } = await payment.refund({ note_to_payer: 'SIM-REFUND-REVERSED' });
    await client.sendDue('reversed', 1_000);
    expect(await statuses('reversed')).toEqual(['succeeded']);
    await client.sendDue('reversed', 10_000);
    expect(await statuses('reversed')).toEqual(['failed']);
    expect(notified('reversed')).toEqual([
      ['PAYMENT.CAPTURE.REFUNDED', 'COMPLETED'],
      ['PAYMENT.REFUND.FAILED', 'FAILED'],
    ]);
    expect((await client.get('reversed', `/v2/payments/refunds/${json.id}`)).json.status).toBe('FAILED');
  });

  test('may complete it in the answer', async () => {
    const payment = await paid('instant');
    const answer = await payment.refund({ note_to_payer: 'SIM-REFUND-INSTANT' });
    expect(answer.json.status).toBe('COMPLETED');
    expect(answer.json).not.toHaveProperty('status_details');
    expect(await statuses('instant')).toEqual(['succeeded']);
    await client.sendDue('instant', 1_000);
    expect(notified('instant')).toEqual([['PAYMENT.CAPTURE.REFUNDED', 'COMPLETED']]);
  });

  test.each([
    ['succeeded', 'PAYMENT.CAPTURE.REFUNDED', 'COMPLETED'],
    ['failed', 'PAYMENT.REFUND.FAILED', 'FAILED'],
  ] as const)('may leave it pending until it is settled as %s', async (outcome, type, status) => {
    const account = `waits-${outcome}`;
    const payment = await paid(account);
    await payment.refund({ custom_id: 're_4', note_to_payer: 'SIM-REFUND-PENDING' });
    await client.sendDue(account, 3_600_000);
    expect(await statuses(account)).toEqual(['pending']);
    expect(await settleRefundB(client.deps, 'another', 're_4', outcome)).toBe(false);
    expect(await settleRefundB(client.deps, account, 're_5', outcome)).toBe(false);
    expect(await settleRefundB(client.deps, account, 're_4', outcome)).toBe(true);
    expect(await settleRefundB(client.deps, account, 're_4', 'failed')).toBe(false);
    expect(await statuses(account)).toEqual([outcome]);
    await client.sendDue(account, 1_000);
    expect(notified(account)).toEqual([[type, status]]);
  });

  test.each([
    ['succeeded', undefined, [['PAYMENT.CAPTURE.REFUNDED', 'COMPLETED']]],
    ['failed', undefined, [['PAYMENT.REFUND.FAILED', 'FAILED']]],
    ['succeeded', 'SIM-REFUND-FAIL-ASYNC', [['PAYMENT.CAPTURE.REFUNDED', 'COMPLETED']]],
    ['failed', 'SIM-REFUND-REVERSED', [['PAYMENT.REFUND.FAILED', 'FAILED']]],
  ] as const)('may be settled as %s before it settles by itself (%s)', async (outcome, note, events) => {
    const account = `early-${outcome}-${note}`;
    const payment = await paid(account);
    await payment.refund({ custom_id: 're_6', ...(note === undefined ? {} : { note_to_payer: note }) });
    expect(await settleRefundB(client.deps, account, 're_6', outcome)).toBe(true);
    await client.sendDue(account, 0);
    expect(notified(account)).toEqual(events);
    await client.sendDue(account, 60_000);
    expect(notified(account)).toEqual(events);
    expect(await statuses(account)).toEqual([outcome]);
  });

  test('is taken back all the same where it was settled as succeeded before', async () => {
    const payment = await paid('early-reversed');
    await payment.refund({ custom_id: 're_6', note_to_payer: 'SIM-REFUND-REVERSED' });
    expect(await settleRefundB(client.deps, 'early-reversed', 're_6', 'succeeded')).toBe(true);
    await client.sendDue('early-reversed', 1_000);
    expect(await statuses('early-reversed')).toEqual(['succeeded']);
    await client.sendDue('early-reversed', 10_000);
    expect(await statuses('early-reversed')).toEqual(['failed']);
    expect(notified('early-reversed')).toEqual([
      ['PAYMENT.CAPTURE.REFUNDED', 'COMPLETED'],
      ['PAYMENT.REFUND.FAILED', 'FAILED'],
    ]);
  });

  test('is not settled again once it has settled by itself', async () => {
    const payment = await paid('itself');
    await payment.refund({ custom_id: 're_6' });
    await client.sendDue('itself', 1_000);
    expect(await settleRefundB(client.deps, 'itself', 're_6', 'failed')).toBe(false);
    expect(await statuses('itself')).toEqual(['succeeded']);
  });

  test('may break the way, once for a request id', async () => {
    const payment = await paid('broken');
    const request = { ...euro('5.00'), note_to_payer: 'SIM-REFUND-502' };
    expect((await payment.refund(request, 'key')).status).toBe(500);
    expect(await refunds('broken')).toEqual([]);
    expect(await payment.refund(request, 'key')).toMatchObject({ status: 201 });
    const silent = { ...euro('5.00'), note_to_payer: 'SIM-REFUND-TIMEOUT' };
    const waits = client.waits.length;
    const silence = expect(payment.refund(silent, 'silent')).rejects.toThrow('dropped');
    await untilWaiting(client, waits + 1);
    client.waits.at(-1)?.release();
    await silence;
    expect(await payment.refund(silent, 'silent')).toMatchObject({ status: 201 });
    expect(await refunds('broken')).toHaveLength(2);
  });
});
