import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, TestClock, type TestDatabase } from '../vault/test-database.ts';
import { openShop, refundReportOf, reportOf } from './test-kit.ts';

const clock = new TestClock();
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

type Shop = Awaited<ReturnType<typeof openShop>>;

const set = (table: 'payments' | 'refunds', { tenant }: Shop, id: string, changes: string) =>
  database.db.query({
    text: `update ${table} set ${changes} where tenant = $1 and id = $2`,
    values: [tenant.tenant, id],
    scope: tenant,
  });

it.each([
  ['failed', 'refused'],
  ['voided', null],
  ['requires_action', null],
])('a payment that is paid out and %s here does not fit, until it has succeeded', async (status, code) => {
  const shop = await openShop(database, clock);
  const payment = await shop.pay('PSP1');
  await set(
    'payments',
    shop,
    payment,
    `status = '${status}', failure_code = ${code === null ? 'null' : `'${code}'`}`,
  );
  const report = reportOf(7, 'PSP1');
  expect(await shop.imports(report)).toMatchObject({ matched: 0, unmatched: 1 });
  expect(await shop.payouts()).toMatchObject([{ count: 1, payment, unmatched: 'not_succeeded' }]);
  await set('payments', shop, payment, `status = 'succeeded', failure_code = null`);
  expect(await shop.imports(report)).toMatchObject({ matched: 1, unmatched: 0, newly_matched: 1 });
});

it.each([
  ['failed at once', `status = 'failed', failure_code = 'refused', event_count = 1`, ['not_succeeded', null]],
  ['came back later', `status = 'failed', failure_code = 'refused', event_count = 2`, [null, null]],
  ['waits for its notification', `status = 'pending'`, [null, null]],
])('a refund that the processor books and that %s here', async (_what, changes, reasons) => {
  const shop = await openShop(database, clock);
  const refund = await shop.refund(await shop.pay('PSP1'));
  await set('refunds', shop, refund, changes);
  await shop.imports(refundReportOf(7, refund, 'Refunded', 'RefundedReversed'));
  expect(await shop.reasons()).toEqual(reasons);
});
