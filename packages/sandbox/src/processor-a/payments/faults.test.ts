import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { faults } from '../../directives/faults.ts';
import { readLedger } from '../../ledger.ts';
import { createTestDatabase, type TestDatabase } from '../../test-database.ts';
import { type Answer, createTestClient, payment, type TestClient } from '../test-client.ts';

let db: TestDatabase;

beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

async function charges(account: string): Promise<number> {
  return (await readLedger(db.pool, account)).charges.length;
}

/** Sends a payment and aborts it as soon as the processor does not respond. */
async function sendAndAbort(client: TestClient, body: unknown, key?: string): Promise<Answer | Error> {
  const timeout = new AbortController();
  const answer = client.pay(body, key, timeout.signal).catch((error: Error) => error);
  while (client.waits.length === 0) {
    if (await Promise.race([answer.then(() => true), new Promise((resolve) => setImmediate(resolve))])) break;
  }
  timeout.abort(new Error('client timed out'));
  return answer;
}

const shown: Readonly<Record<string, object>> = {
  'SIM-500': { status: 500, json: { status: 500, errorType: 'internal' } },
  'SIM-503': { status: 503, json: { status: 503, errorType: 'internal' } },
  'SIM-TIMEOUT-LOST': { message: 'client timed out' },
  'SIM-DROP': { name: 'ConnectionDropped' },
  'SIM-500-DONE': { status: 500, json: { status: 500, errorType: 'internal' } },
  'SIM-TIMEOUT-DONE': { message: 'client timed out' },
  'SIM-DROP-DONE': { name: 'ConnectionDropped' },
};

const breakdowns = faults.flatMap((fault) => (fault.strikes === 'slow' ? [] : [fault]));

describe.each(breakdowns.map((fault) => [fault.value, fault.strikes === 'done' ? 1 : 0] as const))(
  '%s',
  (directive, charged) => {
    test('strikes the first request of a key only, also for another process', async () => {
      const account = `first-${directive}`;
      const body = payment(account, { holderName: directive });
      expect(await sendAndAbort(createTestClient(db.pool), body, 'key')).toMatchObject(
        shown[directive] ?? {},
      );
      expect(await charges(account)).toBe(charged);

      const restarted = createTestClient(db.pool);
      const again = await restarted.pay(body, 'key');
      expect(again).toMatchObject({ status: 200, json: { resultCode: 'Authorised' } });
      expect(await restarted.pay(body, 'key')).toEqual(again);
      expect(await charges(account)).toBe(1);
    });

    test('strikes every request without a key', async () => {
      const account = `keyless-${directive}`;
      const body = payment(account, { holderName: directive });
      for (const _ of [1, 2]) {
        expect(await sendAndAbort(createTestClient(db.pool), body)).toMatchObject(shown[directive] ?? {});
      }
      expect(await charges(account)).toBe(charged * 2);
    });

    test('strikes each key anew, and a forgotten key again', async () => {
      const account = `anew-${directive}`;
      const body = payment(account, { holderName: directive });
      for (const [key, now] of [
        ['one', '2026-12-01T12:00:00Z'],
        ['two', '2026-12-01T12:00:00Z'],
        ['one', '2026-12-08T12:00:00Z'],
      ] as const) {
        const client = createTestClient(db.pool);
        client.clock.now = new Date(now);
        expect(await sendAndAbort(client, body, key)).toMatchObject(shown[directive] ?? {});
      }
    });

    test('may be asked for in the description', async () => {
      const lineItems = [{ description: directive, quantity: 1 }];
      const body = payment(`description-${directive}`, {}, { lineItems });
      expect(await sendAndAbort(createTestClient(db.pool), body, 'key')).toMatchObject(
        shown[directive] ?? {},
      );
    });

    test('charges no card that is not published', async () => {
      const account = `unpublished-${directive}`;
      const body = payment(account, { holderName: directive, number: '4242424242424242' });
      await sendAndAbort(createTestClient(db.pool), body, 'key');
      expect(await createTestClient(db.pool).pay(body, 'key')).toMatchObject({
        status: 200,
        json: { resultCode: 'Refused', refusalReasonCode: '8' },
      });
      expect(await charges(account)).toBe(0);
    });
  },
);

describe('silence', () => {
  test('lasts at most two minutes', async () => {
    const client = createTestClient(db.pool);
    const answer = client.pay(payment('silence', { holderName: 'SIM-TIMEOUT-LOST' }), 'key');
    while (client.waits.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(client.waits[0]?.ms).toBe(120_000);
    client.waits[0]?.release();
    await expect(answer).rejects.toMatchObject({ name: 'ConnectionDropped' });
  });

  test('does not keep the same key from being served', async () => {
    const body = payment('hanging', { holderName: 'SIM-TIMEOUT-DONE' });
    const hanging = createTestClient(db.pool);
    void hanging.pay(body, 'key').catch(() => undefined);
    while (hanging.waits.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(await createTestClient(db.pool).pay(body, 'key')).toMatchObject({
      json: { resultCode: 'Authorised' },
    });
    expect(await charges('hanging')).toBe(1);
  });
});

describe('SIM-SLOW', () => {
  test.each(['key', undefined])('approves after eight seconds (key: %s)', async (key) => {
    const account = `slow-${key}`;
    const client = createTestClient(db.pool);
    const answer = client.pay(payment(account, { holderName: 'SIM-SLOW' }), key);
    while (client.waits.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(client.waits[0]?.ms).toBe(8_000);
    expect(await charges(account)).toBe(0);
    client.waits[0]?.release();
    expect(await answer).toMatchObject({ status: 200, json: { resultCode: 'Authorised' } });
    expect(await charges(account)).toBe(1);
  });

  test('charges although the client has hung up', async () => {
    const client = createTestClient(db.pool);
    const timeout = new AbortController();
    const answer = client.pay(payment('hung-up', { holderName: 'SIM-SLOW' }), 'key', timeout.signal);
    while (client.waits.length === 0) await new Promise((resolve) => setImmediate(resolve));
    timeout.abort();
    client.waits[0]?.release();
    await answer;
    expect(await charges('hung-up')).toBe(1);
  });
});
