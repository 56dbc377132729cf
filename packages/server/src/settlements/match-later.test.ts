import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestData } from '../dashboard/figures/test-data.ts';
import type { Tenant } from '../store/tenant.ts';
import { createTestDatabase, TestClock, type TestDatabase } from '../vault/test-database.ts';
import { importReport } from './import-report.ts';
import { laterMatches } from './match-later.ts';
import { listPayoutRows, nextLines } from './reads.ts';

const hourMs = 3_600_000;
const clock = new TestClock();
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const titles =
  'Company Account,Merchant Account,Psp Reference,Merchant Reference,Payment Method,Creation Date,TimeZone,Type,Modification Reference,Gross Currency,Gross Debit (GC),Gross Credit (GC),Exchange Rate,Net Currency,Net Debit (NC),Net Credit (NC),Commission (NC),Markup (NC),Scheme Fees (NC),Interchange (NC),Payment Method Variant,Modification Merchant Reference,Batch Number';

/** A batch with one payment of €49.90, which the processor calls by a reference. */
const reportOf = (batch: number, psp: string) =>
  [
    titles,
    `Co,Shop,${psp},,visa,2026-11-20 12:00:00,CET,Settled,MOD-${psp},EUR,,49.90,1,EUR,,49.80,,0.10,,,visa,,${batch}`,
    `Co,Shop,,,,2026-11-21 02:00:00,CET,MerchantPayout,TX${batch},,,,,EUR,49.80,,,,,,,,${batch}`,
  ].join('\n');

const errors: unknown[] = [];
/** A process that looks for payouts to match. */
const matchLater = () =>
  laterMatches({ db: database.db, clock, onError: (error) => errors.push(error) }).run();

async function openShop() {
  const { db } = database;
  const tenant: Tenant = await database.openTenant();
  const imports = (text: string) =>
    importReport(
      { db, clock, randomBytes },
      {
        tenant,
        processor: 'processor_a',
        now: clock.now(),
        name: 'report.csv',
        by: null,
        async *content() {
          yield new TextEncoder().encode(text);
        },
      },
    );
  /** The payment becomes known here, as after a restore. */
  const pay = async (psp: string, amount = 4990) => {
    const id = await new TestData(db, tenant).pay({ at: clock.now(), status: 'succeeded', amount });
    await db.query({
      text: `update payments set upstream = json_build_object('psp', $3::text) where tenant = $1 and id = $2`,
      values: [tenant.tenant, id, psp],
      scope: tenant,
    });
    return id;
  };
  /** Of every payout, oldest first: how many lines do not match, and what its first line is about. */
  const payouts = async () => {
    const { rows } = await listPayoutRows(db, tenant, { offset: 0, perPage: 10 });
    return Promise.all(
      rows.toReversed().map(async ({ id, unmatched_count: count, match_tries: tries, digest }) => {
        const [line] = await nextLines(db, tenant, id, { after: 0, most: 1 });
        return { count, tries, digest, payment: line?.payment_id, unmatched: line?.unmatched };
      }),
    );
  };
  return { imports, pay, payouts };
}

it('a payment that becomes known after its report is matched within an hour, once', async () => {
  const shop = await openShop();
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
  const shop = await openShop();
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
  const shop = await openShop();
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
  // Written otherwise it is another file, of a payout that is known.
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
  const shop = await openShop();
  const both = [reportOf(7, 'PSP1'), ...reportOf(8, 'PSP1').split('\n').slice(1)].join('\n');
  await shop.imports(both);
  await shop.pay('PSP1');
  expect(await shop.imports(both)).toMatchObject({ payouts: 2, matched: 1, unmatched: 1, newly_matched: 1 });
  expect(await shop.payouts()).toMatchObject([{ unmatched: null }, { unmatched: 'paid_before' }]);
});

it('another amount is said, and is no match', async () => {
  const shop = await openShop();
  const report = reportOf(7, 'PSP1');
  await shop.imports(report);
  const payment = await shop.pay('PSP1', 5000);
  expect(await shop.imports(report)).toMatchObject({ matched: 0, unmatched: 1, newly_matched: 0 });
  expect(await shop.payouts()).toMatchObject([{ count: 1, payment, unmatched: 'amount_differs' }]);
});
