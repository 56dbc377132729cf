import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test-database.ts';
import { createTestClient } from '../test-client.ts';
import { ask, defend, notified, open } from './test-disputes.ts';

let db: TestDatabase;

beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

const tenDays = 10 * 24 * 60 * 60;

describe('the merchant at a later stage', () => {
  test.each([
    ['pre_arbitration', ['PREARBITRATION_ACCEPTED Accepted']],
    ['second_chargeback', []],
  ] as const)(
    'who does nothing at a later stage is sent no event of the first: %s',
    async (state, events) => {
      const client = createTestClient(db.pool);
      const account = `silent-${state}`;
      const upstreamId = await open(client, account, state);
      expect(notified(await client.pass(account, tenDays))).toEqual(events);
      expect(await defend(client, account, upstreamId)).toMatch(/does not wait/);
    },
  );

  test('a second chargeback that is defended goes to pre-arbitration, without an event of its own', async () => {
    const client = createTestClient(db.pool);
    const upstreamId = await open(client, 'again', 'second_chargeback');
    expect(await defend(client, 'again', upstreamId)).toBe('ok');
    expect(await client.pass('again', 4)).toEqual([]);
    expect(await ask(client, 'defendDispute', 'again', upstreamId)).toBe('ok');
    expect(notified(await client.pass('again', 1))).toEqual(['PREARBITRATION_WON Won']);
  });
});
