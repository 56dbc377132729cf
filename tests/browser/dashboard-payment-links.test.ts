import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Browser } from '../support/dashboard.ts';
import { Merchant, target } from '../support/merchant.ts';
import { type OpenPage, startBrowser, type TestBrowser } from './harness.ts';
import { openSignedIn } from './screenshots/dashboard.ts';

let browser: TestBrowser;
let shop: Merchant;
beforeAll(async () => {
  [browser, shop] = await Promise.all([startBrowser(), Merchant.open('processor_b')]);
});
afterAll(() => browser.close());

/** Requires that the page breaks no WCAG rule, in light and dark, wide and narrow. */
async function requireClean({ page, violations, sidewaysScroll }: OpenPage, where: string): Promise<void> {
  for (const width of [1280, 320]) {
    await page.setViewportSize({ width, height: 800 });
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(), `${where}, ${width}, ${colorScheme}`).toEqual([]);
    }
    expect(await sidewaysScroll(), where).toBe(0);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** The file that a button saves. */
async function saved(page: Page, name: string): Promise<Buffer> {
  const [download] = await Promise.all([page.waitForEvent('download'), button(page, name).click()]);
  return readFile(await download.path());
}

it('a link is made, copied as a QR code, mailed, changed and switched off without a line of code', async () => {
  const opened = await openSignedIn(browser, target(), await Browser.of(shop, 'support'));
  const { page, goTo } = opened;
  await goTo(shop.id, '/payment-links');
  await page.getByText('No payment links yet').waitFor();
  await button(page, 'Create link').focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('The buyer chooses').check();
  await dialog.getByRole('button', { name: 'Create link' }).click();
  await dialog.getByText('Enter what is paid for.').waitFor();
  await opened.until('document.activeElement.name === "link-title"');
  await requireClean(opened, 'the form with mistakes');
  await dialog.getByLabel('What is paid for').fill('Pottery <b>course</b>');
  await dialog.getByLabel('A fixed amount').check();
  await dialog.getByLabel('Amount', { exact: true }).fill('49,90');
  await dialog.getByLabel('Once, like an invoice').check();
  await dialog.getByLabel(/^Ask the buyer for/).fill('Invoice number');
  await dialog.getByRole('button', { name: 'Create link' }).click();
  await page.getByRole('heading', { level: 1, name: 'Pottery <b>course</b>' }).waitFor();
  const [made] = (await shop.get('/api/v1/payment_links')).body.data;
  expect(made).toMatchObject({
    amount: 4990,
    currency: 'EUR',
    max_payments: 1,
    reference_label: 'Invoice number',
  });
  await page.getByText(made.url).waitFor();
  await page.getByText('Nobody has paid yet').waitFor();
  await requireClean(opened, 'the link');

  expect((await saved(page, 'SVG for print')).toString()).toMatch(
    /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/,
  );
  expect((await saved(page, 'PNG for mails and documents')).subarray(1, 4).toString()).toBe('PNG');

  await button(page, 'Send by mail').click();
  await dialog.getByLabel('E-mail address').fill('nobody');
  await dialog.getByRole('button', { name: 'Send' }).click();
  await dialog.getByText('to must be one e-mail address').waitFor();
  await requireClean(opened, 'the mail');
  await dialog.getByLabel('E-mail address').fill('jane@shop.example');
  await dialog.getByRole('button', { name: 'Send' }).click();
  await page.getByText('The mail is on its way').first().waitFor();

  await button(page, 'Edit').click();
  await dialog.getByLabel('Any number of times').check();
  await requireClean(opened, 'the change');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await button(page, 'Switch off').click();
  await page.getByText('It is switched off: nobody can pay.').waitFor();
  expect((await shop.get(`/api/v1/payment_links/${made.id}`)).body).toMatchObject({
    status: 'inactive',
    max_payments: null,
  });
  await goTo(shop.id, '/payment-links?status=inactive');
  await page.getByText('Pottery <b>course</b>').first().waitFor();
  await requireClean(opened, 'the list');
  expect(opened.faults()).toEqual({ errors: [], policy: [], foreign: [] });
  await opened.close();
}, 120_000);

it('a change of a link keeps what somebody else has changed of it meanwhile', async () => {
  const link = { title: 'Opened', currency: 'EUR', amount: 100, max_payments: 3 };
  const { id } = (await shop.post('/api/v1/payment_links', link)).body;
  const support = await Browser.of(shop, 'support');
  const opened = await openSignedIn(browser, target(), support);
  const { page, goTo } = opened;
  await goTo(shop.id, `/payment-links/${id}`);
  await button(page, 'Edit').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Any number of times').check();
  const renamed = await support.call('PATCH', `/accounts/${shop.id}/payment_links/${id}`, {
    body: { title: 'Renamed' },
  });
  expect(renamed.status, renamed.text).toBe(200);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { level: 1, name: 'Renamed' }).waitFor();
  expect((await shop.get(`/api/v1/payment_links/${id}`)).body).toMatchObject({
    title: 'Renamed',
    max_payments: null,
  });
  await opened.close();
});

it('a viewer sees links and may not change them', async () => {
  await shop.post('/api/v1/payment_links', { title: 'Seen', currency: 'EUR', amount: 100 });
  const { page, goTo, close } = await openSignedIn(browser, target(), await Browser.of(shop, 'viewer'));
  await goTo(shop.id, '/payment-links');
  await page.getByText('Seen').first().click();
  await page.getByRole('heading', { level: 1, name: 'Seen' }).waitFor();
  for (const name of ['Send by mail', 'Edit', 'Switch off']) {
    expect(await button(page, name).getAttribute('aria-disabled')).toBe('true');
  }
  await close();
});
