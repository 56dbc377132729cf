import { beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../support/dashboard.ts';
import { until } from '../support/until.ts';
import type { OpenPage } from './harness.ts';
import { openPaymentsShop, payload } from './payments-shop.ts';

/** How owners and admins set the look of the checkout page, and choose whose fields take cards. */
const place = openPaymentsShop();

let owner: Browser;
beforeAll(async () => {
  owner = await Browser.of(place().shop, 'owner');
});

/** A picture of one pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const pngFile = { name: `${payload}.png`, mimeType: 'image/png', buffer: png };
const openBranding = (staff = owner, view?: Parameters<ReturnType<typeof place>['open']>[2]) =>
  place().open('/settings/branding', staff, view);
const toast = ({ page }: OpenPage, text: string) =>
  page.getByRole('region', { name: 'Messages' }).getByText(text).first().waitFor();
/** The text about the button below the preview of one colour scheme. */
const buttonOf = ({ page }: OpenPage, scheme: string) =>
  page.getByRole('figure', { name: scheme, exact: true }).getByRole('definition').first().innerText();

describe('the branding', () => {
  it('is edited by keyboard, previewed in light and dark, saved, and shown on the checkout page', async () => {
    const opened = await openBranding();
    const { page } = opened;
    const preview = page.getByRole('img', { name: 'The checkout page of Test shop, light' });
    await preview.waitFor();
    const name = page.getByLabel('Shop name');
    await name.fill(`Ada ${payload}`);
    await page.getByRole('img', { name: `The checkout page of Ada ${payload}, dark` }).waitFor();
    const colour = page.getByLabel('Colour (optional)');
    await colour.fill('#2e90fa');
    await page.getByText('In light, the button and links are darkened.').waitFor();
    await opened.until(`document.querySelector('figure dd')?.textContent.endsWith('darkened')`);
    expect(await buttonOf(opened, 'Light')).not.toContain('#2e90fa');
    expect(await buttonOf(opened, 'Dark')).toContain('#2e90fa');
    await page.getByLabel('Choose the colour').fill('#0b57d0');
    expect(await colour.inputValue()).toBe('#0b57d0');
    await page.getByText('In dark, the button and links are lightened.').waitFor();
    await page.getByLabel('Default language').selectOption('ja');
    await name.press('Enter');
    await toast(opened, 'Branding saved');
    const save = page.getByRole('button', { name: 'Save branding' });
    await opened.until(`document.querySelector('form button')?.getAttribute('aria-disabled') === 'true'`);
    expect(await save.getAttribute('aria-disabled')).toBe('true');
    await opened.expectAccessible();

    await page.reload();
    expect(await name.inputValue()).toBe(`Ada ${payload}`);
    await page.getByRole('button', { name: 'Make a test page' }).press('Enter');
    const link = page.getByRole('link', { name: 'Open the test page' });
    const popup = page.waitForEvent('popup');
    await link.press('Enter');
    const shown = await popup;
    await shown.getByRole('heading', { name: `Ada ${payload}` }).waitFor();
    expect(await shown.locator('img').count()).toBe(0);
    await shown.close();
    await opened.expectAccessible();
  });

  it('says what is wrong beside the field, on a phone too', async () => {
    const opened = await openBranding(owner, { width: 320, height: 700 });
    const { page } = opened;
    const colour = page.getByLabel('Colour (optional)');
    await colour.fill('red');
    await colour.press('Enter');
    await page.getByText('Enter six hexadecimal digits, like #0b57d0.').waitFor();
    expect(await colour.getAttribute('aria-invalid')).toBe('true');
    await opened.expectAccessible();
    await colour.fill('');
    await page.getByLabel('Shop name').fill('\u0007');
    await page.keyboard.press('Enter');
    await page.getByText('display_name must have 1 to 100 characters').waitFor();
    await opened.expectAccessible();
  });

  it('uploads a logo, shows it in light and dark, and removes it', async () => {
    const opened = await openBranding();
    const { page } = opened;
    const file = page.locator('input[type="file"]');
    await file.setInputFiles({ name: 'a.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') });
    await page.getByText('logo must be a PNG or JPEG file.').waitFor();
    await opened.expectAccessible();
    await file.setInputFiles({ ...pngFile, buffer: Buffer.alloc(2_000_001) });
    await page.getByText('Choose a file of at most 2 MB.').waitFor();
    await file.setInputFiles(pngFile);
    await toast(opened, 'Logo saved');
    await page.getByText('PNG, 1 × 1 pixels.').waitFor();
    for (const ground of ['light', 'dark']) {
      await opened.until(`document.querySelector('img[alt="Logo on ${ground}"]')?.naturalWidth === 1`);
    }
    await opened.expectAccessible();
    await page.getByRole('button', { name: 'Remove logo' }).press('Enter');
    await page.getByText('No logo. The page shows').waitFor();
    await opened.untilFocusOn('Remove logo');
  });

  it('is read-only for a viewer', async () => {
    const opened = await openBranding(place().viewer);
    const { page } = opened;
    const save = page.getByRole('button', { name: 'Save branding' });
    await save.waitFor();
    expect(await save.getAttribute('aria-disabled')).toBe('true');
    expect(await page.getByLabel('Shop name').getAttribute('readonly')).not.toBeNull();
    expect(await page.locator('input[type="file"]').isDisabled()).toBe(true);
    const make = page.getByRole('button', { name: 'Make a test page' });
    expect(await make.getAttribute('aria-disabled')).toBe('true');
    await page.getByText('Your role (viewer) does not allow this.').first().waitFor({ state: 'attached' });
    await opened.expectAccessible();
  });
});

describe('the card fields', () => {
  it.each([{}, { width: 320, height: 700 }])('are chosen after an explanation, at %j', async (view) => {
    const opened = await place().open('/settings/connection', owner, view);
    const { page } = opened;
    const card = page.getByRole('region', { name: 'Card fields of the checkout page' });
    await card.getByText('because a simulator stands in for the processor').waitFor();
    await card.getByText('Card numbers pass through this server.').waitFor();
    await card.getByLabel("The processor's fields").focus();
    await page.keyboard.press('Space');
    await card.getByText('Card numbers go to the processor alone.').waitFor();
    await card.getByText('live pages would not take cards').waitFor();
    // axe reports a control as too small if the bar at the top covers half of it.
    await page.evaluate('window.scrollTo(0, 0)');
    await opened.expectAccessible();
    await card.getByRole('button', { name: 'Save card fields' }).press('Enter');
    await toast(opened, 'Card fields changed');
    await opened.untilFocusOn('Save card fields');
    const settings = async () => (await owner.get(`/accounts/${place().shop.id}/settings`)).body.connection;
    expect((await settings()).card_fields).toEqual({ chosen: 'processor', default: 'first_party' });
    await card.getByLabel('Default').check();
    await card.getByRole('button', { name: 'Save card fields' }).press('Enter');
    await until('saved', async () => (await settings()).card_fields.chosen === 'default');
    await opened.expectAccessible();
  });
});
