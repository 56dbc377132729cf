import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, TestClock, type TestDatabase } from '../vault/test-database.ts';
import { laterMatches } from './match-later.ts';
import { payoutsOfPayment } from './reads.ts';
import { openShop, type PayPalLine, reportOf, sectionOf } from './test-kit.ts';

const clock = new TestClock();
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const openPayPalShop = () => openShop(database, clock, 'test:SHOP', 'processor_b');

const at = '02 05:00:00';
const sale: PayPalLine = { id: 'CAP1', code: 'T0006', side: 'CR', amount: 4990, at };
const fee: PayPalLine = { id: 'TX2', code: 'T0106', side: 'DR', amount: 20, at };
const chargeback: PayPalLine = { id: 'TX3', code: 'T1201', side: 'DR', amount: 500, at };
const adjustment: PayPalLine = { id: 'TX4', code: 'T0200', side: 'CR', amount: 7, at };
const all = [sale, fee, chargeback, adjustment];
const repeated = 'reported_before';

it('every line of a day that the report of the month has again is reported before, whatever it is', async () => {
  const shop = await openPayPalShop();
  await shop.pay('CAP1');
  await shop.imports(sectionOf('02', '02', ...all));
  const later = { ...fee, id: 'TX5', at: '03 05:00:00' };
  const month = await shop.imports(sectionOf('01', '30', ...all, later));
  expect(month).toMatchObject({ lines: 5, matched: 0, unmatched: 4 });
  expect(await shop.reasons()).toEqual([
    null,
    null,
    'unknown',
    null,
    repeated,
    repeated,
    repeated,
    repeated,
    null,
  ]);
  expect(await shop.payouts()).toMatchObject([{ count: 1 }, { count: 4 }]);
});

it('a payment that two reports have was paid out once', async () => {
  const shop = await openPayPalShop();
  const payment = await shop.pay('CAP1');
  await shop.imports(sectionOf('02', '02', sale));
  await shop.imports(sectionOf('01', '30', sale));
  expect(await payoutsOfPayment(database.db, shop.tenant, payment)).toMatchObject([{ net: 4990 }]);
});

it('lines of the month that a report of a day has later are reported before', async () => {
  const shop = await openPayPalShop();
  await shop.imports(sectionOf('01', '30', fee, adjustment));
  await shop.imports(sectionOf('02', '02', fee, adjustment));
  expect(await shop.reasons()).toEqual([null, null, repeated, repeated]);
});

it('equal lines of one report are movements of their own, as many as one report has of them', async () => {
  const shop = await openPayPalShop();
  await shop.imports(sectionOf('02', '02', fee, fee));
  await shop.imports(sectionOf('01', '05', fee, fee, fee));
  await shop.imports(sectionOf('01', '30', fee, fee, fee));
  expect(await shop.reasons()).toEqual([null, null, repeated, repeated, null, repeated, repeated, repeated]);
});

it.each([
  ['another moment', { ...fee, at: '02 05:00:01' }],
  ['another amount', { ...fee, amount: 21 }],
  ['another side', { ...fee, side: 'CR' as const }],
  ['another event', { ...fee, code: 'T0107' }],
  ['another transaction', { ...fee, id: 'TX9' }],
])('a line of %s is a movement of its own', async (_what, other) => {
  const shop = await openPayPalShop();
  await shop.imports(sectionOf('02', '02', fee));
  await shop.imports(sectionOf('01', '30', other));
  expect(await shop.reasons()).toEqual([null, null]);
});

it('a line without a transaction id is never taken for that of another report', async () => {
  const shop = await openPayPalShop();
  await shop.imports(sectionOf('02', '02', { ...fee, id: '' }));
  await shop.imports(sectionOf('01', '30', { ...fee, id: '' }));
  expect(await shop.reasons()).toEqual([null, null]);
});

it('batches of processor_a do not overlap: the fees of two of them are both counted', async () => {
  const shop = await openShop(database, clock);
  const charge = (batch: number) =>
    reportOf(batch, 'PSP1')
      .replace(',Settled,', ',Fee,')
      .replace('EUR,,49.90,1,EUR,,49.80,,0.10', 'EUR,,,1,EUR,,49.80,,');
  await shop.imports(charge(7));
  await shop.imports(charge(8));
  expect(await shop.reasons()).toEqual([null, null]);
});

it('a line that a corrected report lacks is that of the other report, from the next run on', async () => {
  const shop = await openPayPalShop();
  await shop.imports(sectionOf('02', '02', fee, adjustment));
  await shop.imports(sectionOf('01', '30', fee, adjustment));
  await shop.imports(sectionOf('01', '29', fee, adjustment));
  await shop.imports(sectionOf('02', '02', adjustment));
  await laterMatches({ db: database.db, clock, onError: (error) => expect(error).toBeUndefined() }).run();
  expect(await shop.reasons()).toEqual([null, null, repeated, repeated, repeated]);
  expect(await shop.payouts()).toMatchObject([{ count: 0 }, { count: 1 }, { count: 2 }]);
});

it('a report that is corrected keeps the lines that other reports repeat', async () => {
  const shop = await openPayPalShop();
  await shop.imports(sectionOf('02', '02', fee));
  await shop.imports(sectionOf('01', '30', fee));
  await shop.imports(sectionOf('02', '02', fee, adjustment));
  expect(await shop.reasons()).toEqual([null, null, repeated]);
});
