import { afterAll, beforeAll, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { addStaff, staffPassword } from '../support/dashboard.ts';
import { freshEmail, Merchant, target } from '../support/merchant.ts';
import { until } from '../support/until.ts';
import { startBrowser, type TestBrowser } from './harness.ts';

const cleanUp = new CleanUp();
let browser: TestBrowser;
beforeAll(async () => {
  browser = await startBrowser();
  cleanUp.add(browser.close);
});
afterAll(cleanUp.run);

const message = 'Reading this took too long and was stopped. Narrow it, for example by date.';

it('a page whose query times out says so and retries by a button, and one that was read from a standby says how old it is', async () => {
  const shop = await Merchant.open();
  const email = freshEmail();
  await addStaff(target(), shop.id, email, 'owner');
  const opened = await browser.open(target().baseUrl, `/dashboard/${shop.id}/settings/audit`);
  const { page } = opened;
  let asked = 0;
  await page.route(/\/audit_log/, async (route) => {
    asked += 1;
    if (asked > 1) return route.continue();
    return route.fulfill({
      status: 503,
      contentType: 'application/json',
      body: JSON.stringify({
        error: { type: 'api_error', code: 'read_too_long', message, request_id: 'req_1' },
      }),
    });
  });
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(staffPassword);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText(message).waitFor();
  // The page does not retry by itself, which would only delay others.
  expect(asked).toBe(1);
  expect(await opened.violations()).toEqual([]);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('session.created').first().waitFor();
  await until('the message is gone', async () => (await page.getByText(message).count()) === 0);
  const age = page.getByText(/read from a copy of the database: .* at most 3 seconds old/);
  expect(await age.count()).toBe(0);
  await page.route(/\/payments\?/, async (route) => {
    const response = await route.fetch();
    return route.fulfill({ response, headers: { ...response.headers(), 'till-data-age': '3' } });
  });
  await page.getByRole('link', { name: 'Payments', exact: true }).first().click();
  await age.waitFor();
  expect(await opened.violations()).toEqual([]);
  await page.getByRole('link', { name: 'Settings', exact: true }).first().click();
  await until('the line is gone', async () => (await age.count()) === 0);
  expect(opened.faults()).toEqual({ errors: [], policy: [], foreign: [] });
  await opened.close();
});
