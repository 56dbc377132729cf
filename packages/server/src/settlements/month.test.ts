import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, TestClock, type TestDatabase } from '../vault/test-database.ts';
import { listPayoutRows, payoutsOfMonth } from './reads.ts';
import { openShop, reportOf } from './test-kit.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it('finds the payouts of a month whatever the collation of the database', async () => {
  // The Thai collation, like some others, ignores hyphens and points.
  const text = 'alter table payouts alter column arrival_date type text collate "th-x-icu"';
  await database.db.query({ text, scope: 'everybody' });
  const shop = await openShop(database, new TestClock());
  await shop.imports(reportOf(7, 'PSP1'));
  const found = async (month: string) => (await payoutsOfMonth(database.db, shop.tenant, month)).length;
  expect([await found('2026-10'), await found('2026-11'), await found('2026-12')]).toEqual([0, 1, 0]);
});

it.each([
  ['PDT', '2026-11-30 23:30:00'],
  ['AEDT', '2026-11-30 02:00:00'],
  ['UTC', '2026-11-30 12:00:00'],
])('dates a payout as its report does, in the time of %s', async (zone, time) => {
  const shop = await openShop(database, new TestClock());
  await shop.imports(reportOf(8, 'PSP2').replaceAll('CET', zone).replace('2026-11-21 02:00:00', time));
  const { rows } = await listPayoutRows(database.db, shop.tenant, { offset: 0, perPage: 1 });
  expect(rows[0]?.arrival_date).toBe('2026-11-30');
});

it('a report that says another day of a payout that was imported before moves it to that day', async () => {
  const shop = await openShop(database, new TestClock());
  await shop.imports(reportOf(7, 'PSP1'));
  const moved = reportOf(7, 'PSP1').replace('2026-11-21 02:00:00', '2026-12-01 02:00:00');
  expect(await shop.imports(moved)).toMatchObject({ payouts: 1, lines: 1, corrected: 1 });
  const { rows } = await listPayoutRows(database.db, shop.tenant, { offset: 0, perPage: 2 });
  expect(rows).toMatchObject([{ arrival_date: '2026-12-01', gross: 4990, lines_count: 1 }]);
});
