import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collect } from '../../lib/test-batch.ts';
import { createTestDatabase, type TestDatabase } from '../../test-database.ts';
import {
  captured,
  cardSource,
  createTestClient,
  issue,
  order,
  ordersPath,
  referenceOf,
  shopOf,
  type TestClient,
  walletSource,
} from '../test-client.ts';
import { resolveOrder } from './approval.ts';

let db: TestDatabase;
let client: TestClient;
let shop: ReturnType<typeof shopOf>;
let statements: string[] = [];

beforeAll(async () => {
  db = await createTestDatabase();
  const query = (text: string, values: readonly unknown[] = []) => {
    statements.push(text);
    return db.pool.query(text, [...values]);
  };
  client = createTestClient({ query }, collect);
  shop = shopOf(client);
});
afterAll(() => db.drop());

const capture = (account: string, id: string, requestId: string) =>
  client.post(account, `${ordersPath}/${id}/capture`, {}, requestId);

/** Creates wallet orders that their buyers have approved. */
async function approved(account: string, count: number) {
  const bodies = Array.from({ length: count }, () => order(walletSource));
  const answers = await Promise.all(bodies.map((body) => shop.create(account, body)));
  const ids: string[] = answers.map(({ json }) => json.id);
  await Promise.all(ids.map((id) => resolveOrder(client.deps, id, 'approved')));
  return { ids, references: bodies.map(referenceOf) };
}

const chargesOf = async (account: string) =>
  (await shop.charges(account)).map(({ reference }) => reference).toSorted();

describe('concurrent orders', () => {
  test('are read together and written together, each with its own answer', async () => {
    const { ids, references } = await approved('together', 12);
    statements = [];
    const answers = await Promise.all(ids.map((id, n) => capture('together', id, `capture-${n}`)));
    expect(answers.map(({ status, json }) => [status, json.id])).toEqual(ids.map((id) => [201, id]));
    expect(statements.filter((text) => text.includes('insert into sandbox.charges'))).toHaveLength(1);
    expect(await chargesOf('together')).toEqual(references.toSorted());
  });

  test('one order captured twice at once under two ids is charged once', async () => {
    const { ids, references } = await approved('twice', 2);
    const [first, second] = ids as [string, string];
    const answers = await Promise.all([
      capture('twice', first, 'a'),
      capture('twice', second, 'b'),
      capture('twice', first, 'c'),
    ]);
    const [one, other, again] = answers;
    const [taken, refused] = one.status === 201 ? [one, again] : [again, one];
    expect([taken.status, other.status]).toEqual([201, 201]);
    expect(refused).toMatchObject(issue('ORDER_ALREADY_CAPTURED'));
    expect(await chargesOf('twice')).toEqual(references.toSorted());
  });

  test('one order captured twice at once under one id gets one answer', async () => {
    const { ids, references } = await approved('repeated', 1);
    const [id] = ids as [string];
    const [first, again] = await Promise.all([
      capture('repeated', id, 'same'),
      capture('repeated', id, 'same'),
    ]);
    expect([first.status, again.status].toSorted()).toEqual([200, 201]);
    expect(captured(again)).toEqual(captured(first));
    expect(await chargesOf('repeated')).toEqual(references);
  });

  test('one id for two new orders at once creates one of them', async () => {
    // Fetches the access token first, so that the account's concurrent requests reach one batch.
    await client.get('one id', `${ordersPath}/UNKNOWN`);
    const bodies = [order(cardSource()), order(cardSource()), order(cardSource())] as const;
    const answers = await Promise.all([
      shop.create('one id', bodies[0], 'the id'),
      shop.create('one id', bodies[1], 'the id'),
      shop.create('one id', bodies[2], 'another'),
    ]);
    const [one, other, alone] = answers;
    expect([one.status, other.status].toSorted()).toEqual([200, 201]);
    expect(other.json.id).toBe(one.json.id);
    expect(alone.status).toBe(201);
    const created = one.status === 201 ? bodies[0] : bodies[1];
    expect(await chargesOf('one id')).toEqual([referenceOf(created), referenceOf(bodies[2])].toSorted());
  });

  test('one id for captures of two orders at once captures one of them', async () => {
    const { ids } = await approved('shared id', 2);
    const answers = await Promise.all(ids.map((id) => capture('shared id', id, 'the id')));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 201]);
    expect(await chargesOf('shared id')).toHaveLength(1);
  });

  test('an invoice that was paid already refuses its own order alone', async () => {
    const paid = order(cardSource());
    await shop.create('invoices', paid);
    const invoice_id = referenceOf(paid);
    const fresh = order(cardSource());
    const [refused, charged] = await Promise.all([
      shop.create('invoices', order(cardSource(), { invoice_id })),
      shop.create('invoices', fresh),
    ]);
    expect(refused).toMatchObject(issue('DUPLICATE_INVOICE_ID'));
    expect(charged.status).toBe(201);
    expect(await chargesOf('invoices')).toEqual([invoice_id, referenceOf(fresh)].toSorted());
  });
});
