import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, TestClock, type TestDatabase } from '../vault/test-database.ts';
import { payoutsOfMonth } from './reads.ts';
import { openShop, reportOf } from './test-kit.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it('finds the payouts of a month whatever the collation of the database', async () => {
  // Thai, as some others, does not look at hyphens and points.
  const text = 'alter table payouts alter column arrival_date type text collate "th-x-icu"';
  await database.db.query({ text, scope: 'everybody' });
  const shop = await openShop(database, new TestClock());
  await shop.imports(reportOf(7, 'PSP1'));
  const found = async (month: string) => (await payoutsOfMonth(database.db, shop.tenant, month)).length;
  expect([await found('2026-10'), await found('2026-11'), await found('2026-12')]).toEqual([0, 1, 0]);
});
