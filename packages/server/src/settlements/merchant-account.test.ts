import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, TestClock, type TestDatabase } from '../vault/test-database.ts';
import { importReport } from './import-report.ts';
import { openShop, reportOf } from './test-kit.ts';

const clock = new TestClock();
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const other = 'Sh:op_B';
const reportOfOther = (batch: number) => reportOf(batch, 'PSP1').replaceAll(',Shop,', `,${other},`);

describe('a report of another merchant account', () => {
  it.each([
    ['that of this account is Shop', 'test:Shop'],
    ['that of this account is acct_1', 'simulator:acct_1'],
    ['this account has none', null],
  ])('is refused with the line and both names: %s', async (ours, connected) => {
    const shop = await openShop(database, clock, connected);
    await expect(shop.imports(reportOfOther(7))).rejects.toMatchObject({
      code: 'invalid_params',
      param: 'report',
      message: `line 2: it is of the merchant account ${other}, and ${ours}. Nothing was imported.`,
    });
    expect(await shop.payouts()).toEqual([]);
  });

  it('is refused as a whole where only some lines are', async () => {
    const shop = await openShop(database, clock);
    const [, ...more] = reportOfOther(8).split('\n');
    await expect(shop.imports([reportOf(7, 'PSP1'), ...more].join('\n'))).rejects.toMatchObject({
      message: expect.stringContaining('line 4: it is of the merchant account'),
    });
    expect(await shop.payouts()).toEqual([]);
  });

  it.each([`test:${other}`, `live:${other}`, `simulator:${other}`])(
    'is imported where payments here were made with it, as with %s',
    async (identity) => {
      const shop = await openShop(database, clock);
      const stranger = await openShop(database, clock);
      const payment = await shop.pay('PSP1');
      await database.db.query({
        text: 'update payments set processor_identity = $3 where tenant = $1 and id = $2',
        values: [shop.tenant.tenant, payment, identity],
        scope: shop.tenant,
      });
      expect(await shop.imports(reportOfOther(7))).toMatchObject({ payouts: 1, matched: 1 });
      // Payments of one account do not admit the merchant account for another one.
      await expect(stranger.imports(reportOfOther(7))).rejects.toMatchObject({ param: 'report' });
    },
  );
});

it.each([
  ['names no merchant account', ''],
  ['has another account id in its header', 'ACCOUNT9'],
])('a report of processor_b that %s is imported', async (_case, account) => {
  const { tenant } = await openShop(database, clock);
  const report = [
    '"RH",2026/11/21 02:44:19 -0700,"A","",009,',
    '"FH",01',
    `"SH",2026/11/20 00:00:00 -0700,2026/11/20 23:59:59 -0700,"${account}",""`,
    '"CH","Transaction ID","PayPal Reference ID","Transaction Event Code","Transaction Completion Date","Transaction Debit or Credit","Gross Transaction Amount","Gross Transaction Currency","Fee Debit or Credit","Fee Amount","Fee Currency"',
    '"SB","TX1","","T0006",2026/11/20 05:00:00 -0700,"CR",1000,"EUR","",,""',
    '"SC",1',
    '"FF",1',
  ].join('\r\n');
  async function* content() {
    yield new TextEncoder().encode(report);
  }
  const of = { tenant, processor: 'processor_b', connected: 'live:SHOP1', now: clock.now() } as const;
  const imported = importReport(
    { db: database.db, clock, randomBytes },
    { ...of, name: 'r.csv', by: null, content, note: async () => {} },
  );
  expect(await imported).toMatchObject({ payouts: 1, lines: 1 });
});
