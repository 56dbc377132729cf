import type { Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { Browser } from '../support/dashboard.ts';
import { Merchant, target } from '../support/merchant.ts';
import { until } from '../support/until.ts';
import { type OpenPage, startBrowser, type TestBrowser, type View } from './harness.ts';

/** The dashboard while its server is down, and after an upgrade. */
const cleanUp = new CleanUp();
const pages: OpenPage[] = [];
let browser: TestBrowser;
let shop: Merchant;
let support: Browser;
let payment: string;

beforeAll(async () => {
  browser = await startBrowser();
  cleanUp.add(browser.close);
  shop = await Merchant.open();
  support = await Browser.of(shop, 'support');
  payment = (await shop.pay()).body.id;
});
afterAll(cleanUp.run);
afterEach(async () => {
  for (const opened of pages.splice(0)) {
    expect(opened.faults().policy).toEqual([]);
    await opened.close();
  }
});

const root = () => `${target().baseUrl}/dashboard/${shop.id}`;

async function open(path: string, view?: View): Promise<OpenPage> {
  const { baseUrl } = target();
  const opened = await browser.open(baseUrl, undefined, { ...view, unused: true });
  pages.push(opened);
  const [name = '', value = ''] = (support.cookie ?? '').split('=');
  await opened.context.addCookies([{ name, value, url: baseUrl }]);
  // Disables preloading, because a test may be about a page that is not loaded yet.
  await opened.page.addInitScript('window.requestIdleCallback = () => 0;');
  await opened.page.goto(root() + path);
  return opened;
}

it('the page stays while the server cannot be reached, says since when and how old it is, and goes on by itself', async () => {
  const opened = await open('');
  const { page, context } = opened;
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.getByText('Needs attention').first().waitFor({ state: 'attached' });
  await context.setOffline(true);
  await page.getByRole('link', { name: 'Customers', exact: true }).first().click();
  const banner = page.getByRole('region', { name: 'Connection' });
  await banner.getByText('The server cannot be reached since').waitFor();
  await banner.getByText('What you see is as of').waitFor();
  await banner.getByText(/Trying again/).waitFor();
  expect(page.url()).toBe(root());
  await page.getByRole('heading', { level: 1 }).waitFor();
  await opened.expectAccessible();
  await context.setOffline(false);
  await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor();
  await banner.waitFor({ state: 'detached' });
  expect(page.url()).toBe(`${root()}/customers`);
});

/** The requests of the page that have no response yet. A late response would end an outage. */
function watchRequests({ page }: OpenPage): ReadonlySet<Request> {
  const underWay = new Set<Request>();
  page.on('request', (request) => underWay.add(request));
  page.on('requestfinished', (request) => underWay.delete(request));
  page.on('requestfailed', (request) => underWay.delete(request));
  return underWay;
}

describe('where no timer fires', () => {
  /** Opens a page and lets it lose its server. */
  async function openLost(lose: (opened: OpenPage) => Promise<void>) {
    const opened = await open('');
    const { page } = opened;
    await page.clock.install();
    const underWay = watchRequests(opened);
    await page.reload();
    // This figure appears once all first requests of the page are answered; none of them is repeated within ten
    // seconds.
    await page.getByRole('figure', { name: 'Webhook health' }).waitFor();
    await page.clock.pauseAt(Date.now() + 10_000);
    await until('every request is answered', () => underWay.size === 0);
    await lose(opened);
    await page.getByRole('link', { name: 'Customers', exact: true }).first().click();
    const banner = page.getByRole('region', { name: 'Connection' });
    await banner.waitFor();
    return { ...opened, banner };
  }

  it('a browser that has a network again tries at once', async () => {
    const { context, banner } = await openLost((opened) => opened.context.setOffline(true));
    await context.setOffline(false);
    await banner.waitFor({ state: 'detached' });
  });

  it('"Try now" tries at once', async () => {
    const { context, banner } = await openLost(async (opened) => {
      await opened.context.route('**/*', (route) => route.abort());
    });
    await context.unroute('**/*');
    await banner.getByRole('button', { name: 'Try now' }).click();
    await banner.waitFor({ state: 'detached' });
  });
});

it('what is not known to be done is said whole above the buttons of a dialog, on a phone too', async () => {
  const opened = await open(`/payments/${payment}`, { width: 320, height: 568 });
  const { page, context } = opened;
  await page.getByRole('button', { name: 'Refund', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Refund payment' });
  await dialog.waitFor();
  await context.setOffline(true);
  const button = dialog.getByRole('button', { name: /^Refund / });
  await button.click();
  const message = dialog.getByRole('alert').getByText('Trying again here is safe');
  await message.waitFor();
  const [text, actions] = [await message.boundingBox(), await button.boundingBox()];
  expect((text?.y ?? 0) + (text?.height ?? 0)).toBeLessThanOrEqual(actions?.y ?? 0);
  await context.setOffline(false);
  await button.click();
  await dialog.waitFor({ state: 'detached' });
  expect((await shop.get(`/api/v1/payments/${payment}/refunds`)).body.total_count).toBe(1);
});

it('a page of a version that is gone is loaded anew, and what was typed is kept', async () => {
  const opened = await open('/payments');
  const { page, context } = opened;
  const search = page.getByRole('textbox', { name: 'Search payments' });
  await search.fill('order of yesterday');
  // Simulates an upgrade, after which the chunks have other names.
  const chunk = '**/dashboard/assets/customers-*.js';
  let missing = 1;
  await context.route(chunk, (route) => {
    missing -= 1;
    return missing >= 0 ? route.fulfill({ status: 404, body: '' }) : route.continue();
  });
  await page.getByRole('link', { name: 'Customers', exact: true }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor();
  await page.getByText('The dashboard was loaded anew').first().waitFor();
  await opened.expectAccessible();
  await page.getByRole('link', { name: 'Payments', exact: true }).first().click();
  await until(
    'what was typed is there again',
    async () => (await search.inputValue()) === 'order of yesterday',
  );
});

it('the other pages are loaded ahead: they open without the server', async () => {
  const { baseUrl } = target();
  const opened = await browser.open(baseUrl);
  pages.push(opened);
  const [name = '', value = ''] = (support.cookie ?? '').split('=');
  await opened.context.addCookies([{ name, value, url: baseUrl }]);
  const { page, context } = opened;
  await page.goto(root());
  await opened.until(`performance.getEntriesByType('resource').some(({ name }) => /environment/.test(name))`);
  await page.waitForLoadState('networkidle');
  await context.setOffline(true);
  await page.getByRole('link', { name: 'Disputes', exact: true }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Disputes' }).waitFor();
  await page.getByText('This is loaded as soon as it answers again').first().waitFor();
});
