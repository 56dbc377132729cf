import { expect, it } from 'vitest';
import { till } from '../support/merchant.ts';
import { openPaymentsShop } from './payments-shop.ts';

/** The accounting of a month, as an accountant sees it in the browser. */
const place = openPaymentsShop();

it('a month shows its sums with the time zone, and gives them as a file, on a phone too', async () => {
  const { created } = (await place().shop.get(`/api/v1/payments/${place().ids.yen}`)).body;
  // The next month may have begun meanwhile.
  const month = new Date(created * 1000).toISOString().slice(0, 7);
  const { page, expectAccessible } = await place().open('/ledger');
  await page.getByRole('heading', { level: 1, name: 'Ledger' }).waitFor();
  await page.getByLabel('Month', { exact: true }).fill(month);
  await page.getByRole('row', { name: /Payments JPY 1/ }).waitFor();
  await page.getByText('in the time zone of the account, UTC').waitFor();
  await expectAccessible();
  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Export CSV' }).click();
  expect((await downloading).suggestedFilename()).toMatch(/^ledger-.+-20\d\d-\d\d-sandbox\.csv$/);
  await page.getByLabel('Month', { exact: true }).fill('2020-01');
  await page.getByText('No money moved in this month').waitFor();
  await expectAccessible();
  const phone = await place().open('/ledger', undefined, { width: 320 });
  await phone.page.getByLabel('Month', { exact: true }).fill(month);
  await phone.page
    .getByRole('listitem')
    .filter({ hasText: /Payments.*¥.*Number: 1$/ })
    .waitFor();
  await phone.expectAccessible();
  await till('accounts', 'update', place().shop.id, '--time-zone', 'Asia/Tokyo');
  const zoned = await place().open(`/payments/${place().ids.yen}`);
  await zoned.page.getByRole('link', { name: /GMT\+9.*time of the account in Asia\/Tokyo/ }).waitFor();
  await zoned.page
    .getByText(/, \d\d:\d\d GMT\+9$/)
    .first()
    .waitFor();
});
