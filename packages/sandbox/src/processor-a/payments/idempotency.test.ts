import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readLedger } from '../../ledger.ts';
import type { SandboxDatabase } from '../../lib/dependencies.ts';
import { collect } from '../../lib/test-batch.ts';
import { createTestDatabase, type TestDatabase } from '../../test-database.ts';
import { createTestClient, payment, type TestClient } from '../test-client.ts';

let db: TestDatabase;
let client: TestClient;

beforeAll(async () => {
  db = await createTestDatabase();
  client = createTestClient(db.pool);
});
afterAll(() => db.drop());

const sevenDays = 7 * 24 * 60 * 60 * 1000;

async function references(account: string): Promise<string[]> {
  return (await readLedger(db.pool, account)).charges.map((charge) => charge.reference);
}

/** Resolves once the simulator waits, so that the test can continue while a request is in flight. */
async function untilWaiting(waits: TestClient['waits'], count: number): Promise<void> {
  while (waits.length < count) await new Promise((resolve) => setImmediate(resolve));
}

describe('the same key', () => {
  test('gets the first answer again, byte for byte, and charges once', async () => {
    const body = payment('replay');
    const first = await client.pay(body, 'key');
    const again = await client.pay({ ...body, amount: { value: 1, currency: 'USD' } }, 'key');
    expect(again).toEqual(first);
    expect(await references('replay')).toEqual([body.reference]);
  });

  test.each([
    ['decline', { holderName: 'DECLINED' }],
    ['refused field', { expiryYear: '2001' }],
  ])('gets the first %s again, even for a better request', async (what, card) => {
    const first = await client.pay(payment('final', card), what);
    expect(await client.pay(payment('final'), what)).toEqual(first);
    expect(await references('final')).toEqual([]);
  });

  test('of another account is another key', async () => {
    await client.pay(payment('one'), 'shared');
    await client.pay(payment('two'), 'shared');
    expect(await references('one')).toHaveLength(1);
    expect(await references('two')).toHaveLength(1);
  });

  test('sent many times at once charges once', async () => {
    const body = payment('race');
    const answers = await Promise.all(Array.from({ length: 40 }, () => client.pay(body, 'key')));
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(await references('race')).toEqual([body.reference]);
  });

  test('is remembered for seven days', async () => {
    const body = payment('expiry');
    const week = createTestClient(db.pool);
    const start = week.clock.now.getTime();
    const first = await week.pay(body, 'key');
    week.clock.now = new Date(start + sevenDays - 1);
    expect(await week.pay(body, 'key')).toEqual(first);
    week.clock.now = new Date(start + sevenDays);
    const second = await week.pay(body, 'key');
    expect(second.json.pspReference).not.toBe(first.json.pspReference);
    expect(await references('expiry')).toHaveLength(2);
    expect(await week.pay(body, 'key')).toEqual(second);
  });
});

describe('a request under way', () => {
  test('makes the same key wait, then answers it', async () => {
    const slow = createTestClient(db.pool);
    const body = payment('under-way', { holderName: 'SIM-SLOW' });
    const first = slow.pay(body, 'key');
    await untilWaiting(slow.waits, 1);
    expect(await client.pay(body, 'key')).toMatchObject({
      status: 422,
      headers: { 'transient-error': 'true', 'idempotency-key': 'key' },
      json: { status: 422, errorCode: '704' },
    });
    expect(await references('under-way')).toEqual([]);

    slow.waits[0]?.release();
    const answer = await first;
    expect(answer).toMatchObject({ status: 200, json: { resultCode: 'Authorised' } });
    expect(await client.pay(body, 'key')).toEqual(answer);
    expect(await references('under-way')).toEqual([body.reference]);
  });

  test('that a crash cut short frees its key after 12 seconds', async () => {
    const crashed = createTestClient(db.pool);
    const body = payment('crashed', { holderName: 'SIM-SLOW' });
    void crashed.pay(body, 'key');
    await untilWaiting(crashed.waits, 1);

    const next = createTestClient(db.pool);
    next.clock.now = new Date(crashed.clock.now.getTime() + 11_999);
    expect(await next.pay(body, 'key')).toMatchObject({ json: { errorCode: '704' } });
    next.clock.now = new Date(crashed.clock.now.getTime() + 12_000);
    const plain = { ...body, paymentMethod: { ...body.paymentMethod, holderName: 'Ada' } };
    expect(await next.pay(plain, 'key')).toMatchObject({ json: { resultCode: 'Authorised' } });
    expect(await references('crashed')).toEqual([body.reference]);
  });

  test('that lost its key to another one charges nothing and repeats the other answer', async () => {
    const stalled = createTestClient(db.pool);
    const body = payment('stalled', { holderName: 'SIM-SLOW' });
    const first = stalled.pay(body, 'key');
    await untilWaiting(stalled.waits, 1);

    const next = createTestClient(db.pool);
    next.clock.now = new Date(stalled.clock.now.getTime() + 13_000);
    const second = next.pay(body, 'key');
    await untilWaiting(next.waits, 1);
    next.waits[0]?.release();
    const answer = await second;

    stalled.waits[0]?.release();
    expect(await first).toEqual(answer);
    expect(await references('stalled')).toEqual([body.reference]);
  });
});

interface Watched {
  readonly database: SandboxDatabase;
  readonly statements: string[];
}

/** The test database, which records statements and can fail before or after one. */
function watched(fails: { before?: (json: string) => boolean; after?: () => boolean } = {}): Watched {
  const statements: string[] = [];
  const query = async (text: string, values: readonly unknown[] = []): Promise<{ rows: unknown[] }> => {
    statements.push(text);
    if (fails.before?.(String(values[0])) === true) throw new Error('no such row today');
    const result = await db.pool.query(text, [...values]);
    if (fails.after?.() === true) throw new Error('connection reset');
    return result;
  };
  return { database: { query }, statements };
}

describe('concurrent payments', () => {
  test('take one statement each, and one statement together where a batch is given', async () => {
    const alone = watched();
    await createTestClient(alone.database).pay(payment('counted'), 'alone');
    expect(alone.statements).toHaveLength(1);

    const together = watched();
    const batched = createTestClient(together.database, collect);
    const bodies = Array.from({ length: 50 }, () => payment('batched'));
    const answers = await Promise.all(bodies.map((body) => batched.pay(body, body.reference)));
    expect(together.statements).toHaveLength(1);
    expect(answers.map((answer) => answer.json.merchantReference)).toEqual(
      bodies.map((body) => body.reference),
    );
    expect((await references('batched')).sort()).toEqual(bodies.map((body) => body.reference).sort());
  });

  test('in one batch keep new keys, known keys and requests without a key apart', async () => {
    const batched = createTestClient(db.pool, collect);
    const known = payment('mixed');
    const first = await batched.pay(known, 'known');
    const [replay, fresh, keyless, declined] = await Promise.all([
      batched.pay(known, 'known'),
      batched.pay(payment('mixed'), 'fresh'),
      batched.pay(payment('mixed')),
      batched.pay(payment('mixed', { holderName: 'DECLINED' }), 'declined'),
    ]);
    expect(replay).toEqual(first);
    expect(fresh.json.resultCode).toBe('Authorised');
    expect(keyless.json.resultCode).toBe('Authorised');
    expect(declined.json.resultCode).toBe('Refused');
    expect(await references('mixed')).toHaveLength(3);
  });

  test('are not broken by one that the database refuses', async () => {
    const batched = createTestClient(
      watched({ before: (json) => json.includes('poison') }).database,
      collect,
    );
    const results = await Promise.allSettled([
      batched.pay(payment('spoilt'), 'good-1'),
      batched.pay(payment('spoilt'), 'poison'),
      batched.pay(payment('spoilt'), 'good-2'),
    ]);
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await references('spoilt')).toHaveLength(2);
  });

  test('repeated because the answer to their commit was lost are charged once', async () => {
    let lost = 0;
    const batched = createTestClient(watched({ after: () => lost++ === 0 }).database, collect);
    const answers = await Promise.all(['a', 'b'].map((key) => batched.pay(payment('repeated'), key)));
    expect(answers.map((answer) => answer.json.resultCode)).toEqual(['Authorised', 'Authorised']);
    expect(await references('repeated')).toHaveLength(2);
  });

  test('of two processes over the same keys neither deadlock nor charge twice', async () => {
    const keys = Array.from({ length: 60 }, (_, i) => `key-${i}`);
    const bodies = new Map(keys.map((key) => [key, payment('processes')]));
    const processes = [createTestClient(db.pool, collect), createTestClient(db.pool, collect)];
    const orders = [keys, [...keys].reverse()];
    await Promise.all(
      processes.flatMap((each, i) => (orders[i] ?? []).map((key) => each.pay(bodies.get(key), key))),
    );
    expect((await references('processes')).sort()).toEqual(
      [...bodies.values()].map((body) => body.reference).sort(),
    );
  });
});
