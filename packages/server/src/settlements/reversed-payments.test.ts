import { afterAll, beforeAll, expect, it } from 'vitest';
import { recordAlert } from '../payment-alerts/store.ts';
import { createTestDatabase, TestClock, type TestDatabase } from '../vault/test-database.ts';
import { openShop, reportOf } from './test-kit.ts';

const clock = new TestClock();
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** A batch of processor_a with a chargeback of 49.90 EUR. */
const chargebackOf = (psp: string) =>
  reportOf(7, psp)
    .replace(',Settled,', ',Chargeback,')
    .replace('EUR,,49.90,1,EUR,,49.80,,0.10', 'EUR,49.90,,1,EUR,49.90,,,')
    .replace('EUR,49.80,', 'EUR,,49.90');

it.each([
  ['that was reversed fits it, as the ledger has it', true, [null]],
  ['that was not is unknown', false, ['unknown']],
])('a chargeback without a dispute of a payment %s', async (_what, isReversed, reasons) => {
  const shop = await openShop(database, clock);
  const payment = await shop.pay('PSP1');
  if (isReversed) {
    const alert = { kind: 'capture_reversed', mails: [] } as const;
    await recordAlert(database.db, shop.tenant, { paymentId: payment, alert, at: clock.now() });
  }
  await shop.imports(chargebackOf('PSP1'));
  expect(await shop.reasons()).toEqual(reasons);
  expect(await shop.payouts()).toMatchObject([{ payment }]);
});
