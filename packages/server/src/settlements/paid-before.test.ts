import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, TestClock, type TestDatabase } from '../vault/test-database.ts';
import { openShop, reportOf } from './test-kit.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** Combines two reports of processor_a into one file. */
const together = (first: string, second: string) => [first, ...second.split('\n').slice(1)].join('\n');

it('a payment that two payouts of one report name is held by the first of them', async () => {
  const shop = await openShop(database, new TestClock());
  await shop.pay('PSP1');
  const both = together(reportOf(7, 'PSP1'), reportOf(8, 'PSP1'));
  expect(await shop.imports(both)).toMatchObject({ payouts: 2, matched: 1, unmatched: 1 });
  expect(await shop.reasons()).toEqual([null, 'paid_before']);
});

it('a payout that is corrected still holds its payment where another one named it later', async () => {
  const shop = await openShop(database, new TestClock());
  await shop.pay('PSP1');
  await shop.pay('PSP2');
  await shop.imports(reportOf(7, 'PSP1'));
  await shop.imports(reportOf(8, 'PSP1'));
  expect(await shop.reasons()).toEqual([null, 'paid_before']);
  expect(await shop.imports(reportOf(7, 'PSP1', 'PSP2'))).toMatchObject({
    corrected: 1,
    matched: 2,
    unmatched: 0,
  });
  expect(await shop.reasons()).toEqual([null, null, 'paid_before']);
});

it('a payment that a report moves from one payout to another is held there', async () => {
  const shop = await openShop(database, new TestClock());
  await shop.pay('PSP1');
  await shop.pay('PSP2');
  await shop.imports(together(reportOf(7, 'PSP1', 'PSP2'), reportOf(8, 'PSP3')));
  await shop.imports(together(reportOf(8, 'PSP3', 'PSP2'), reportOf(7, 'PSP1')));
  expect(await shop.reasons()).toEqual([null, 'unknown', null]);
  expect(await shop.payouts()).toMatchObject([{ count: 0 }, { count: 1 }]);
});
