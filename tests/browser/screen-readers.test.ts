import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addStaff, staffPassword } from '../support/dashboard.ts';
import { freshEmail, Merchant, target } from '../support/merchant.ts';
import { cardPayment, fillCard, goodCard, origin, walletPayment } from './checkout-world.ts';
import { type OpenPage, startBrowser, type TestBrowser } from './harness.ts';
import { listen } from './screen-reader.ts';

/** The test protocol for people with a screen reader. */
const protocol = readFileSync(new URL('../../docs/guides/accessibility.md', import.meta.url), 'utf8');

/** The last column of the table below a heading of the protocol: the announcement at each step. */
function announcedIn(heading: string): string[] {
  const [, section = ''] = protocol.split(`\n### ${heading}\n`);
  const [table = ''] = section.split(/\n##+ /, 1);
  return table
    .split('\n')
    .filter((line) => /^\| \d/.test(line))
    .map((line) => (line.split(' | ').at(-1) ?? '').replace(/ \|$/, '').replaceAll('`', ''));
}

let browser: TestBrowser;
let shop: Merchant;
const opened: OpenPage[] = [];

beforeAll(async () => {
  [browser, shop] = await Promise.all([startBrowser(), Merchant.open('processor_b')]);
});
afterAll(() => browser.close());

async function open(path: string): Promise<OpenPage> {
  const page = await browser.open(origin(), path);
  opened.push(page);
  return page;
}

const order = {
  amount: 5500,
  line_items: [
    { name: 'Mug', unit_amount: 2000, quantity: 2 },
    { name: 'Tea', unit_amount: 1500 },
  ],
};

/** A browser focuses the `autofocus` element a moment after the page has loaded. */
const isHeadingFocused = "document.activeElement?.tagName === 'H1'";

describe('the accessibility tree announces what the protocol says', () => {
  it('while somebody pays by card, with a mistake first', async () => {
    const at = await open((await cardPayment(shop, { ...order, success_url: null, failure_url: null })).path);
    const reader = await listen(at);
    await reader.title();
    await reader.at('h1');
    for (let stop = 0; stop < 6; stop += 1) await reader.press('Tab');
    await reader.press('Enter', '#summary [role=alert]');
    await reader.title();
    await reader.press('Tab');
    await reader.press('Enter');
    await fillCard(at, goodCard);
    await Promise.all([at.page.waitForNavigation(), at.page.click('#pay')]);
    await reader.title();
    await at.until(isHeadingFocused);
    await reader.focus();
    await reader.press('Tab');
    expect(reader.announced).toEqual(announcedIn('Pay by card'));
  });

  it('while somebody goes to the wallet', async () => {
    const at = await open((await walletPayment(shop, order)).path);
    const reader = await listen(at);
    await reader.title();
    await at.until(isHeadingFocused);
    await reader.focus();
    await reader.press('Tab');
    await reader.press('Tab');
    expect(reader.announced).toEqual(announcedIn('Pay by wallet'));
  });

  it('while staff sign in, with a wrong password first', async () => {
    const email = freshEmail();
    await addStaff(target(), shop.id, email, 'owner');
    const at = await open('/dashboard/login');
    await at.page.getByRole('heading', { level: 1 }).waitFor();
    const reader = await listen(at);
    await reader.title();
    await reader.at('h1');
    await at.page.getByLabel('E-mail address').focus();
    await reader.focus();
    await at.page.keyboard.type(email);
    await reader.press('Tab');
    await at.page.keyboard.type('wrong');
    await at.page.keyboard.press('Enter');
    await at.page.getByRole('alert').filter({ hasText: 'wrong' }).waitFor();
    await at.until("document.activeElement?.name === 'password'");
    await reader.at('[role=alert]:not(:empty)');
    await reader.focus();
    await at.page.getByLabel('Password', { exact: true }).fill(staffPassword);
    await at.page.keyboard.press('Enter');
    await at.page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await reader.title();
    await reader.at('h1');
    expect(reader.announced).toEqual(announcedIn('Sign in'));
    await refund(at);
    await rollKey(at);
  });
});

async function refund(at: OpenPage): Promise<void> {
  const { page } = at;
  const { body } = await shop.pay({ amount: 4990 });
  await page.goto(`${origin()}/dashboard/${shop.id}/payments/${body.id}`);
  const button = page.getByRole('button', { name: /^Refund/ }).first();
  await button.waitFor();
  const reader = await listen(at);
  await button.focus();
  await reader.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await reader.at('[role=dialog]');
  await reader.focus();
  for (let stop = 0; stop < 4; stop += 1) await reader.press('Tab');
  await page.getByRole('button', { name: /^Refund €/ }).press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('region', { name: 'Messages' }).getByText('refund').waitFor();
  await reader.at('[role=status][aria-live]');
  expect(reader.announced).toEqual(announcedIn('Refund a payment'));
}

async function rollKey(at: OpenPage): Promise<void> {
  const { page } = at;
  await page.goto(`${origin()}/dashboard/${shop.id}/developers/keys`);
  const button = page.getByRole('button', { name: /^Roll the key/ });
  await button.waitFor();
  const reader = await listen(at);
  await button.focus();
  await reader.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await reader.at('[role=dialog]');
  await reader.focus();
  await reader.press('Tab');
  await reader.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: /^The new key/ }).waitFor();
  await reader.at('[role=dialog]');
  expect(reader.announced).toEqual(announcedIn('Roll a key'));
}
