import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addStaff, staffPassword } from '../support/dashboard.ts';
import { freshEmail, Merchant, target, till } from '../support/merchant.ts';
import { type OpenPage, startBrowser, type TestBrowser, type View } from './harness.ts';

/** Markup that a merchant could have put into every text that these pages show. */
const payload = '<img src=x onerror="document.title=1">';

let browser: TestBrowser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** Adds a member, signs them in and opens this page of the account. */
async function openAs(shop: Merchant, role: string, path: string, view?: View): Promise<OpenPage> {
  const email = freshEmail();
  await addStaff(target(), shop.id, email, role);
  const opened = await browser.open(target().baseUrl, '/dashboard/login', view);
  const { page } = opened;
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(staffPassword);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  await goTo(page, shop, path);
  return opened;
}

async function goTo(page: Page, shop: Merchant, path: string): Promise<void> {
  await page.goto(`${target().baseUrl}/dashboard/${shop.id}/${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
}

async function requireClean({ violations, sidewaysScroll }: OpenPage, where: string): Promise<void> {
  expect(await violations(), where).toEqual([]);
  expect(await sidewaysScroll(), where).toBe(0);
}

async function requireQuiet(opened: OpenPage): Promise<void> {
  expect(opened.faults()).toEqual({ errors: [], policy: [], foreign: [] });
  expect(await opened.page.locator('img[src="x"]').count()).toBe(0);
  await opened.close();
}

/** Presses a focused control using only the keyboard. */
async function press(page: Page, name: string): Promise<void> {
  const control = page.getByRole('button', { name, exact: true }).first();
  await control.focus();
  await page.keyboard.press('Enter');
}

const toast = (page: Page, text: string) => page.getByRole('region', { name: 'Messages' }).getByText(text);

describe('the settings', () => {
  it('change by keyboard, and show on every page', async () => {
    const shop = await Merchant.open();
    const opened = await openAs(shop, 'owner', 'settings/business');
    const { page } = opened;
    await page.getByRole('textbox', { name: 'Name' }).fill('');
    await page.keyboard.press('Enter');
    await page.getByText('Enter a name.').waitFor();
    await requireClean(opened, 'business with a fault');
    await page.getByRole('textbox', { name: 'Name' }).fill(`Ada's shop ${payload}`);
    await page.keyboard.press('Enter');
    await toast(page, 'Name saved').waitFor();
    await page.getByRole('button', { name: /^Workspace: Ada's shop/ }).waitFor();

    await goTo(page, shop, 'settings/payments');
    await page.getByLabel('Save only when the request says so').focus();
    await page.keyboard.press('Space');
    await press(page, 'Save default');
    await toast(page, 'Default for saving changed').waitFor();
    await requireClean(opened, 'payments');

    await goTo(page, shop, 'settings/connection');
    await page.getByLabel('Always').focus();
    await page.keyboard.press('Space');
    await press(page, 'Save 3-D Secure');
    await toast(page, '3-D Secure setting changed').waitFor();
    await press(page, 'Disconnect');
    const dialog = page.getByRole('dialog', { name: 'Disconnect Processor A' });
    await dialog.waitFor();
    await requireClean(opened, 'dialog to disconnect');
    await page.keyboard.press('Enter');
    await dialog.getByText('exactly as it is written').waitFor();
    await page.keyboard.type(`Ada's shop ${payload}`);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Connect', exact: true }).waitFor();
    const account = await till('accounts', 'get', shop.id);
    expect(account).toMatchObject({
      name: `Ada's shop ${payload}`,
      store_payment_method_default: false,
      three_d_secure: 'always',
      connection: 'disconnected',
    });
    await requireQuiet(opened);
  });

  it('are read-only for a viewer, with an explanation', async () => {
    const shop = await Merchant.open();
    const opened = await openAs(shop, 'viewer', 'settings/business');
    const { page } = opened;
    const pages = [
      ['business', 'Save name'],
      ['payments', 'Save default'],
      ['connection', 'Disconnect'],
    ] as const;
    for (const [path, button] of pages) {
      await goTo(page, shop, `settings/${path}`);
      const control = page.getByRole('button', { name: button });
      await control.waitFor();
      expect(await control.getAttribute('aria-disabled')).toBe('true');
      await page.getByText('Your role (viewer) does not allow this.').first().waitFor({ state: 'attached' });
    }
    await goTo(page, shop, 'settings/environment');
    await page.getByText('Owners and admins change the environment.').waitFor();
    await goTo(page, shop, 'sandbox');
    await page.getByText('Not for your role').waitFor();
    await requireClean(opened, 'sandbox of a viewer');
    await requireQuiet(opened);
  });
});

describe('the environment', () => {
  it.each(['light', 'dark'] as const)('changes by typing the name, in %s', async (colorScheme) => {
    const shop = await Merchant.open('processor_b');
    await till('keys', 'create', '--account', shop.id, '--name', `Key ${payload}`);
    const opened = await openAs(shop, 'owner', 'settings/environment', { colorScheme });
    const { page } = opened;
    const button = page.getByRole('button', { name: 'Switch to live…' });
    await button.waitFor();
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    await page.getByText('not activated for live payments').last().waitFor();
    await requireClean(opened, 'not activated');
    await page.getByRole('link', { name: 'See everything that live payments need' }).click();
    await page.getByRole('heading', { level: 1, name: 'Go live' }).waitFor();
    const missing = page.getByRole('listitem').filter({ hasText: 'The account is activated' });
    await missing.getByText(`./till accounts update ${shop.id} --activation active`).waitFor();
    await missing.getByText('Missing').waitFor();
    await page.getByText('The switch opens when everything above is done.').waitFor();
    await requireClean(opened, 'requirements');
    await page.goBack();

    await till('accounts', 'update', shop.id, '--activation', 'active');
    await page.reload();
    const keys = page.getByRole('table', { name: 'Keys that stop working' }).getByRole('row');
    await keys.nth(2).waitFor();
    expect(await keys.count()).toBe(3);
    await press(page, 'Switch to live…');
    const dialog = page.getByRole('dialog', { name: 'Switch to live' });
    await dialog.getByText(`Key ${payload}`).waitFor();
    await requireClean(opened, 'dialog');
    await page.keyboard.press('Escape');
    // The dialog has the focus until it is closed, and contains these words as well.
    await dialog.waitFor({ state: 'detached' });
    await opened.untilFocusOn('Switch to live…');
    await page.keyboard.press('Enter');
    await page.getByLabel('Type Test shop to go on').fill('Test shop');
    await page.keyboard.press('Enter');
    await toast(page, 'This workspace is live now').waitFor();
    await page.getByRole('heading', { name: 'Keys that work again' }).waitFor();
    await page.getByRole('complementary', { name: 'Sandbox' }).waitFor({ state: 'detached' });
    await requireClean(opened, 'live');
    expect((await shop.get('/api/v1/customers')).body.error.code).toBe('key_mode_mismatch');
    await goTo(page, shop, 'sandbox');
    await page.getByText('This workspace is live').waitFor();
    await requireQuiet(opened);
  });
});

describe('the sandbox tools', () => {
  it('make a payment with a trigger, and move the clock', async () => {
    const shop = await Merchant.open('processor_b');
    const opened = await openAs(shop, 'developer', 'sandbox');
    const { page } = opened;
    await page.getByRole('button', { name: 'Words' }).click();
    await page.getByRole('textbox', { name: 'Words' }).fill('ccreject-refused');
    await page.keyboard.press('Enter');
    await press(page, 'Use CCREJECT-REFUSED as payment_method.holder_name');
    await opened.until(`document.activeElement?.id === 'make-payment'`);
    await page.keyboard.press('Enter');
    const made = page.getByRole('region', { name: 'The payment made' });
    await made.getByText('do_not_honor').waitFor();
    await requireClean(opened, 'a declined payment');

    await press(page, 'Without trigger');
    await page.getByLabel('Method').selectOption('processor_b');
    await page.getByLabel('Amount', { exact: true }).fill('12.345');
    await press(page, 'Make the payment');
    await page.getByText('without more decimals than the currency has').waitFor();
    await page.getByLabel('Amount', { exact: true }).fill('12.34');
    await page.keyboard.press('Enter');
    await made.getByText('It waits for its buyer.').waitFor();
    await press(page, '15 min');
    const changed = page.getByRole('region', { name: 'What changed' });
    await changed.getByText('payment.failed').waitFor();
    await page.getByText('15 min ahead of real time').waitFor();
    await requireClean(opened, 'after the clock moved');
    await requireQuiet(opened);
  });

  it('act as buyer, bank and issuer', async () => {
    const shop = await Merchant.open('processor_b');
    await shop.pay({ payment_method: { type: 'processor_b' }, reference: payload });
    const paid = (await shop.pay({ reference: payload })).body.id;
    await shop.post(`/api/v1/payments/${paid}/refunds`, { amount: 1000, note: 'SIM-REFUND-PENDING' });
    const opened = await openAs(shop, 'owner', 'sandbox', { colorScheme: 'dark' });
    const { page } = opened;
    await page.getByText(payload).first().waitFor();
    await press(page, 'Approve');
    await press(page, 'Confirm, as your server does');
    await toast(page, 'The payment is now: Succeeded').waitFor();
    await page.getByText('No payment waits for its buyer').waitFor();

    await page.getByRole('tab', { name: 'Pending refunds (1)' }).click();
    await press(page, 'Let it fail');
    await page.getByText('No refund is pending').waitFor();

    await page.getByRole('tab', { name: 'Dispute lab' }).click();
    await page.getByLabel('Opens as').selectOption('information_request');
    await page.getByLabel(/^Amount in EUR/).fill('10');
    await press(page, 'Open the dispute');
    await page.getByLabel(/^Next for dsp_/).selectOption('chargeback action_required');
    await press(page, 'Move');
    await toast(page, 'The dispute is now chargeback: action required').waitFor();
    await requireClean(opened, 'dispute lab');
    await requireQuiet(opened);
  });
});

describe('every page breaks no rule, wide and narrow, light and dark', () => {
  let shop: Merchant;
  let opened: OpenPage;
  beforeAll(async () => {
    shop = await Merchant.open('processor_b');
    await shop.pay({ payment_method: { type: 'processor_b' }, reference: payload });
    opened = await openAs(shop, 'owner', 'settings/business');
  });
  afterAll(() => requireQuiet(opened));

  const requireOrder = async (where: string) => {
    await opened.page.setViewportSize({ width: 1280, height: 800 });
    await opened.expectAccessible();
    await opened.page.setViewportSize({ width: 320, height: 700 });
    await requireClean(opened, where);
  };

  it.each(['business', 'branding', 'payments', 'connection', 'environment'])('settings: %s', async (path) => {
    await goTo(opened.page, shop, `settings/${path}`);
    await opened.page.getByRole('heading', { level: 2 }).first().waitFor();
    await requireOrder(path);
  });

  it.each(['buyers', 'refunds', 'disputes'])('sandbox: %s', async (play) => {
    await goTo(opened.page, shop, `sandbox?play=${play}`);
    await opened.page.getByText('4111111111111111').first().waitFor();
    await requireOrder(play);
  });
});
