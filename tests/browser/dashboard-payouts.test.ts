import { expect, it } from 'vitest';
import { settle } from '../acceptance/payouts/kit.ts';
import { Browser } from '../support/dashboard.ts';
import { openPaymentsShop } from './payments-shop.ts';

/** Payouts, as an accountant sees them in the browser. */
const place = openPaymentsShop();

it('a report is imported, and its payout leads to the payment and back, on a phone and in the dark too', async () => {
  const file = await settle(place().shop);
  const owner = await Browser.of(place().shop, 'owner');
  const { page, expectAccessible } = await place().open('/payouts', owner);
  await page.getByText('No payouts yet').waitFor();
  await expectAccessible();
  await page.getByLabel('Choose a report: CSV of the processor').setInputFiles(file);
  await page.getByText(/payouts: \d matched, 0 not\./).waitFor();
  await expectAccessible();
  await page.getByLabel('Choose a report: CSV of the processor').setInputFiles(file);
  await page.getByText('This report was imported before. Nothing changed.').waitFor();
  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Export CSV' }).click();
  expect((await downloading).suggestedFilename()).toMatch(/^payouts-.+-20\d\d-\d\d-sandbox\.csv$/);

  await page.getByRole('row', { name: /¥/ }).getByRole('link').first().click();
  await page.getByRole('heading', { level: 1, name: /^Payout of/ }).waitFor();
  await expectAccessible();
  const detail = new URL(page.url()).pathname.replace(/^.*(\/payouts\/)/, '$1');
  await page.getByRole('link', { name: 'Payment', exact: true }).click();
  await page.getByRole('heading', { name: 'Payouts' }).waitFor();
  await expectAccessible();

  for (const view of [{ width: 320 }, { colorScheme: 'dark' }] as const) {
    for (const path of ['/payouts', detail]) {
      const other = await place().open(path, owner, view);
      await other.page.getByRole('heading', { level: 1, name: /^Payout/ }).waitFor();
      await other.page
        .getByText(/Gross|All match/)
        .first()
        .waitFor();
      await other.expectAccessible();
    }
  }
});

it('who only looks sees why no report can be imported', async () => {
  const { page, expectAccessible } = await place().open('/payouts', place().viewer);
  await page.getByRole('heading', { level: 1, name: 'Payouts' }).waitFor();
  expect(await page.getByLabel('Choose a report: CSV of the processor').isDisabled()).toBe(true);
  await expectAccessible();
});
