import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, TestClock, type TestDatabase } from '../vault/test-database.ts';
import { laterMatches } from './match-later.ts';
import { openShop, refundReportOf, reportOf } from './test-kit.ts';
import { lockImports } from './write.ts';

const hourMs = 3_600_000;
const clock = new TestClock();
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const errors: unknown[] = [];
/** Runs the sweep once, as one process does. */
const matchLater = () =>
  laterMatches({ db: database.db, clock, onError: (error) => errors.push(error) }).run();

it('a payment that becomes known after its report is matched within an hour, once', async () => {
  const shop = await openShop(database, clock);
  expect(await shop.imports(reportOf(7, 'PSP1'))).toMatchObject({ matched: 0, unmatched: 1 });
  const payment = await shop.pay('PSP1');
  expect(await matchLater()).toBe(0);
  clock.move(hourMs);
  await Promise.all([matchLater(), matchLater()]);
  const [payout] = await shop.payouts();
  expect(payout).toMatchObject({ count: 0, tries: 1, payment, unmatched: null });
  clock.move(24 * hourMs);
  expect(await matchLater()).toBe(0);
  expect(await shop.payouts()).toEqual([payout]);
  expect(errors).toEqual([]);
});

it('what stays unknown is tried after 1, 2, 4 hours and so on up to a week', async () => {
  const shop = await openShop(database, clock);
  await shop.imports(reportOf(7, 'PSP1'));
  const gaps: number[] = [];
  for (let hours = 0; gaps.length < 10; hours += 1) {
    clock.move(hourMs);
    if ((await matchLater()) > 0) {
      gaps.push(hours + 1);
      hours = -1;
    }
  }
  expect(gaps).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 168, 168]);
});

it('imported again, a report is matched at once, and of two lines of one payment the first one holds it', async () => {
  const shop = await openShop(database, clock);
  const first = reportOf(7, 'PSP1');
  await shop.imports(first);
  await shop.imports(reportOf(8, 'PSP1'));
  const payment = await shop.pay('PSP1');
  expect(await shop.imports(first)).toMatchObject({
    repeated: true,
    matched: 1,
    unmatched: 0,
    newly_matched: 1,
  });
  // Different bytes make it another file of a payout that is known already.
  const other = `${reportOf(8, 'PSP1')}\r\n`;
  expect(await shop.imports(other)).toMatchObject({
    repeated: false,
    matched: 0,
    unmatched: 1,
    newly_matched: 0,
    corrected: 0,
  });
  clock.move(hourMs);
  await matchLater();
  expect(await shop.payouts()).toMatchObject([
    { count: 0, payment, unmatched: null },
    { count: 1, payment, unmatched: 'paid_before' },
  ]);
  expect(await shop.imports(first)).toMatchObject({ repeated: true, matched: 1, newly_matched: 0 });
});

it('two payouts that find their payment at the same time do not both hold it', async () => {
  const shop = await openShop(database, clock);
  const both = [reportOf(7, 'PSP1'), ...reportOf(8, 'PSP1').split('\n').slice(1)].join('\n');
  await shop.imports(both);
  await shop.pay('PSP1');
  expect(await shop.imports(both)).toMatchObject({ payouts: 2, matched: 1, unmatched: 1, newly_matched: 1 });
  expect(await shop.payouts()).toMatchObject([{ unmatched: null }, { unmatched: 'paid_before' }]);
});

it('a refund is held by one line, at the import and later; that it is taken back is another one', async () => {
  const shop = await openShop(database, clock);
  const refund = await shop.refund(await shop.pay('PSP1'));
  await shop.imports(refundReportOf(7, refund, 'Refunded', 'RefundedReversed', 'Refunded'));
  await shop.imports(refundReportOf(8, refund, 'Refunded'));
  expect(await shop.reasons()).toEqual([null, null, 'paid_before', 'paid_before']);
  await shop.imports(refundReportOf(9, 're_unknown', 'Refunded', 'Refunded', 'RefundedReversed'));
  await database.db.query({
    text: `update refunds set upstream_id = 'REF-1' where tenant = $1 and id = $2`,
    values: [shop.tenant.tenant, refund],
    scope: shop.tenant,
  });
  clock.move(hourMs);
  await matchLater();
  expect((await shop.reasons()).slice(4)).toEqual(['paid_before', 'paid_before', 'paid_before']);
});

const endRefund = (shop: Awaited<ReturnType<typeof openShop>>, refund: string, changes: string) =>
  database.db.query({
    text: `update refunds set event_count = event_count + 1, ${changes} where tenant = $1 and id = $2`,
    values: [shop.tenant.tenant, refund],
    scope: shop.tenant,
  });

it.each([
  ['fails', `status = 'failed', failure_code = 'refused'`, 'not_succeeded'],
  ['succeeds', `status = 'succeeded'`, null],
])(
  'a refund that is pending at the import is judged again until it %s',
  async (_what, changes, unmatched) => {
    const shop = await openShop(database, clock);
    const refund = await shop.refund(await shop.pay('PSP1'));
    await shop.imports(refundReportOf(7, refund, 'Refunded'));
    expect(await shop.payouts()).toMatchObject([{ count: 0, unmatched: null }]);
    clock.move(hourMs);
    await matchLater();
    expect(await shop.payouts()).toMatchObject([{ count: 0, tries: 1, unmatched: null }]);
    await endRefund(shop, refund, changes);
    clock.move(2 * hourMs);
    await matchLater();
    const count = unmatched === null ? 0 : 1;
    expect(await shop.payouts()).toMatchObject([{ count, tries: 2, unmatched }]);
    clock.move(4 * hourMs);
    await matchLater();
    expect(await shop.payouts()).toMatchObject([{ count, tries: 2 + count, unmatched }]);
  },
);

it('a refund that fails after it was pending is judged again by the same report at once', async () => {
  const shop = await openShop(database, clock);
  const refund = await shop.refund(await shop.pay('PSP1'));
  const report = refundReportOf(7, refund, 'Refunded', 'RefundedReversed');
  expect(await shop.imports(report)).toMatchObject({ matched: 2, unmatched: 0 });
  await endRefund(shop, refund, `status = 'failed', failure_code = 'refused'`);
  expect(await shop.imports(report)).toMatchObject({ matched: 1, unmatched: 1, newly_matched: 0 });
  expect(await shop.reasons()).toEqual(['not_succeeded', null]);
});

it('a payment that a correction frees is held by the next line of it with the next run', async () => {
  const shop = await openShop(database, clock);
  const payment = await shop.pay('PSP1');
  await shop.imports(reportOf(7, 'PSP1'));
  await shop.imports(reportOf(8, 'PSP1'));
  await matchLater();
  expect(await shop.payouts()).toMatchObject([{ tries: 0 }, { tries: 0, unmatched: 'paid_before' }]);
  await shop.imports(reportOf(7, 'PSP2'));
  await matchLater();
  expect(await shop.payouts()).toMatchObject([
    { count: 1, unmatched: 'unknown' },
    { count: 0, payment, unmatched: null },
  ]);
});

it('another amount is said, and is no match', async () => {
  const shop = await openShop(database, clock);
  const report = reportOf(7, 'PSP1');
  await shop.imports(report);
  const payment = await shop.pay('PSP1', 5000);
  expect(await shop.imports(report)).toMatchObject({ matched: 0, unmatched: 1, newly_matched: 0 });
  expect(await shop.payouts()).toMatchObject([{ count: 1, payment, unmatched: 'amount_differs' }]);
});

it('a report is not imported while another process imports one of the same account', async () => {
  const shop = await openShop(database, clock);
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  await new Promise<void>((isLocked, failed) => {
    const elsewhere = database.db.transaction(async (tx) => {
      await lockImports(tx, shop.tenant);
      isLocked();
      await ended;
    });
    elsewhere.catch(failed);
  });
  expect(await shop.triesToImport(reportOf(7, 'PSP1'))).toBeUndefined();
  end();
  await expect.poll(() => shop.triesToImport(reportOf(7, 'PSP1'))).toMatchObject({ payouts: 1 });
});
