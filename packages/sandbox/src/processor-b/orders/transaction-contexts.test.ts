import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test-database.ts';
import { cardSource, createTestClient, issue, order, ordersPath, type TestClient } from '../test-client.ts';

let db: TestDatabase;
let client: TestClient;

beforeAll(async () => {
  db = await createTestDatabase();
  client = createTestClient(db.pool);
});
afterAll(() => db.drop());

const path = (merchant: string, tracking: string) => `/v1/risk/transaction-contexts/${merchant}/${tracking}`;
const context = (...pairs: readonly (readonly [key: string, value: unknown])[]) => ({
  additional_data: pairs.map(([key, value]) => ({ key, value })),
});

describe('a transaction context', () => {
  test('is kept under its tracking id, the last one for good', async () => {
    await client.put('stc', path('stc', 'one'), context(['sender_email', 'a@example.com']));
    const second = context(['sender_email', 'b@example.com'], ['sender_country_code', 'DE']);
    expect(await client.put('stc', path('stc', 'one'), { tracking_id: 'one', ...second })).toMatchObject({
      status: 200,
    });
    expect(await client.get('stc', path('stc', 'one'))).toMatchObject({
      status: 200,
      json: { tracking_id: 'one', ...second },
    });
    expect(await client.get('stc', path('stc', 'two'))).toMatchObject({ status: 404 });
  });

  test("belongs to the account's own merchant id", async () => {
    await client.put('mine', path('mine', 'one'), context(['sender_email', 'a@example.com']));
    for (const answer of [
      await client.get('theirs', path('mine', 'one')),
      await client.put('theirs', path('mine', 'one'), context()),
    ]) {
      expect(answer).toMatchObject(issue('PERMISSION_DENIED', 403));
    }
  });

  test.each([
    [{}, 'MISSING_REQUIRED_PARAMETER', 400],
    [{ additional_data: 'x' }, 'INVALID_PARAMETER_VALUE', 400],
    [context(...Array.from({ length: 101 }, () => ['key', 'x'] as const)), 'INVALID_PARAMETER_VALUE', 400],
    [context(['a key', 'x']), 'INVALID_PARAMETER_SYNTAX', 400],
    [context(['key', 1]), 'INVALID_PARAMETER_SYNTAX', 400],
    [context(['key', 'x'.repeat(4_001)]), 'INVALID_STRING_LENGTH', 400],
    [{ ...context(), tracking_id: 'other' }, 'INCOMPATIBLE_PARAMETER_VALUE', 422],
    [context(['first', 'x'], ['second', 'SIM-STC-REFUSED']), 'INVALID_PARAMETER_VALUE', 422],
  ])('is refused: case %#', async (body, name, status) => {
    expect(await client.put('refused', path('refused', 'one'), body)).toMatchObject(issue(name, status));
    expect(await client.get('refused', path('refused', 'one'))).toMatchObject({ status: 404 });
  });

  test('need not exist for the order that names it', async () => {
    await client.put('order', path('order', 'known'), context(['sender_email', 'a@example.com']));
    for (const id of ['known', 'unknown']) {
      const headers = { 'PayPal-Client-Metadata-Id': id };
      expect(await client.post('order', ordersPath, order(cardSource()), id, headers)).toMatchObject({
        status: 201,
        json: { status: 'COMPLETED' },
      });
    }
  });
});
