import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test-database.ts';
import { createTestClient } from '../test-client.ts';
import { openDisputeA } from './disputes.ts';
import { charge } from './test-disputes.ts';

let db: TestDatabase;

beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

describe('a dispute', () => {
  test.each([
    ['IDR', 3, 50],
    ['CVE', 1, 1],
  ])('of a part of %s that the processor has no form for does nothing', async (currency, value, amount) => {
    const client = createTestClient(db.pool);
    const rest = { amount: { value, currency } };
    const { reference: paymentReference } = await charge(client, currency, {}, rest);
    const asked = { merchantAccount: currency, paymentReference, state: 'chargeback' } as const;
    expect(await openDisputeA(client.deps, { ...asked, amount })).toBe('amount_not_carried');
    expect(await client.pass(currency, 0)).toEqual([]);
    expect(await openDisputeA(client.deps, { ...asked, amount: 100 })).toEqual({
      upstreamId: expect.any(String),
    });
    expect((await client.pass(currency, 0))[0]?.item.amount).toEqual({ value: 1, currency });
  });

  test.each([
    ['IDR', 3, 1],
    ['ISK', 10_100, 5000],
  ])('of half of %s is of what both count', async (currency, value, half) => {
    const client = createTestClient(db.pool);
    const account = `half-${currency}`;
    await charge(client, account, { holderName: 'SIM-DISPUTE-PARTIAL' }, { amount: { value, currency } });
    expect((await client.pass(account, 4))[0]?.item.amount).toEqual({ value: half, currency });
  });
});
