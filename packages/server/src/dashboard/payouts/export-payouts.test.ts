import { defaultBookAccounts } from '@till/contract/dashboard';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openShop, type PayPalLine, reportOf, sectionOf } from '../../settlements/test-kit.ts';
import { createTestDatabase, TestClock, type TestDatabase } from '../../vault/test-database.ts';
import { exportPayouts } from './export-payouts.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it('a file of the books breaks off where a payout is corrected while it is read, and the next one is whole', async () => {
  const shop = await openShop(database, new TestClock());
  const payments = Array.from({ length: 1500 }, (_none, n) => `PSP${n}`);
  await shop.imports(reportOf(7, ...payments));
  const month = { month: '2026-11', accountName: 'Shop' };
  const open = () => exportPayouts(database.db, shop.tenant, month, defaultBookAccounts).content;
  const read = async (afterFirst: () => Promise<unknown>) => {
    let text = '';
    for await (const piece of open()) {
      if (text === '') await afterFirst();
      text += piece;
    }
    return text;
  };
  const corrected = reportOf(7, ...payments.slice(300));
  await expect(read(() => shop.imports(corrected))).rejects.toThrow('was corrected while it was exported');
  const lines = (await read(async () => {})).trim().split('\r\n').slice(1);
  const clearing = defaultBookAccounts.clearing;
  const sum = lines
    .map((line) => line.replaceAll('"', '').split(','))
    .map(
      ([, , , debit, credit, , , minor]) =>
        Number(minor) * (Number(debit === clearing) - Number(credit === clearing)),
    )
    .reduce((all, amount) => all + amount, 0);
  expect(sum).toBe(0);
});

it('what two reports of processor_b have stands in the books once, and the processor comes to nothing with each', async () => {
  const shop = await openShop(database, new TestClock(), 'test:SHOP', 'processor_b');
  const at = '02 05:00:00';
  const sale: PayPalLine = { id: 'CAP1', code: 'T0006', side: 'CR', amount: 4990, at };
  const fee: PayPalLine = { id: 'TX2', code: 'T0106', side: 'DR', amount: 20, at };
  await shop.imports(sectionOf('02', '02', sale, fee));
  await shop.imports(sectionOf('01', '30', sale, fee, { ...fee, id: 'TX3', at: '03 05:00:00' }));
  let text = '';
  const month = { month: '2026-11', accountName: 'Shop' };
  for await (const piece of exportPayouts(database.db, shop.tenant, month, defaultBookAccounts).content) {
    text += piece;
  }
  const lines = text.trim().split('\r\n').slice(1);
  const entries = lines.map((line) => line.replaceAll('"', '').split(','));
  expect(entries.map(([, , entry, , , , , minor]) => [entry, Number(minor)])).toEqual([
    ['payment', 4990],
    ['fee', 20],
    ['payout', 4970],
    ['fee', 20],
    ['payout', 20],
  ]);
});
