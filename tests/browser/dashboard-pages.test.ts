import type { Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { addStaff, Browser } from '../support/dashboard.ts';
import { Merchant } from '../support/merchant.ts';
import { until } from '../support/until.ts';
import { type OpenPage, startBrowser, type TestBrowser, type View } from './harness.ts';
import { dashboardPages, openSignedIn } from './screenshots/dashboard.ts';
import { type DashboardShop, openDashboardShop, ownerEmail } from './screenshots/dashboard-shop.ts';

/**
 * Requirements of every page: it fits a small window, and says so if there is nothing to show or nothing can be loaded.
 */
const cleanUp = new CleanUp();
const pages: OpenPage[] = [];
let browser: TestBrowser;
let place: DashboardShop;

beforeAll(async () => {
  browser = await startBrowser();
  cleanUp.add(browser.close);
  place = await openDashboardShop(cleanUp, 1);
}, 180_000);
afterAll(cleanUp.run);

afterEach(async () => {
  for (const opened of pages.splice(0)) {
    expect(opened.faults()).toEqual({ errors: [], policy: [], foreign: [] });
    await opened.close();
  }
});

async function openAs(staff: Browser, view?: View) {
  const opened = await openSignedIn(browser, place.place, staff, view);
  pages.push(opened);
  return opened;
}

/** The lists that have to scroll sideways. */
const wideTables = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('main table')]
    .filter((table) => table.scrollWidth > table.parentElement.clientWidth + 1)
    .map((table) => table.querySelector('caption')?.textContent)`);

const ignore = () => {};

const texts = (page: Page, words: string | RegExp) => page.getByText(words).first().waitFor();

it('every page fits a narrow phone, and a window that is zoomed in to 400 %', async () => {
  const { page, walkTo, sidewaysScroll } = await openAs(place.owner, { width: 320, height: 640 });
  for (const { name, path, shows } of dashboardPages) {
    await walkTo(place.shop.id, path(place.ids), shows);
    for (const height of [640, 200]) {
      await page.setViewportSize({ width: 320, height });
      expect(await sidewaysScroll(), `${name}, ${height} high`).toBe(0);
    }
    expect(await wideTables(page), name).toEqual([]);
  }
}, 120_000);

it('a page beyond the end of its list says so, and leads to the first one', async () => {
  const { page, walkTo } = await openAs(place.owner);
  const lists = ['/payments', '/refunds', '/payment-links', '/customers', '/disputes', '/payouts'];
  const more = ['/approvals', '/developers/events', '/developers/logs', '/mails', '/settings/audit'];
  for (const list of [...lists, ...more]) {
    await walkTo(place.shop.id, `${list}?page=99`, /^There are no .* on this page$/);
    await page.getByRole('button', { name: 'Go to the first page' }).click();
    await page.getByText('on this page').waitFor({ state: 'detached' });
  }
});

it('a name that is cut keeps its beginning, and the words beside it', async () => {
  const shop = await Merchant.openAt(place.place);
  const owner = await Browser.of(shop, 'owner', place.place);
  const name = 'محمد بن عبد الله آل سعود '.repeat(10).trim();
  await owner.call('PATCH', `/accounts/${shop.id}/settings/business`, { body: { name } });
  await shop.post('/api/v1/customers', { email: 'buyer@mail.example', name: name.slice(0, 90) });
  const { page, goTo } = await openAs(owner);
  await goTo(shop.id, '/customers');
  await page.locator('tbody span:dir(rtl)').waitFor();
  const band = page.getByRole('complementary', { name: 'Sandbox' });
  const { x = 0, width = 0 } = (await band.getByText('no money moves').boundingBox()) ?? {};
  expect(x + width).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
});

describe('a new shop', () => {
  it('has an empty state on every page', async () => {
    const shop = await Merchant.openAt(place.place);
    const { walkTo } = await openAs(await Browser.of(shop, 'owner', place.place));
    for (const { path, empty } of dashboardPages) {
      if (empty !== undefined) await walkTo(shop.id, path(place.ids), empty);
    }
  });
});

describe('a server that fails', () => {
  const refused = {
    status: 500,
    json: { error: { type: 'api_error', code: 'internal_error', message: 'Not now.' } },
  };
  /** Requests of the frame around the pages are still answered. */
  const isFrame = (route: Route) =>
    /\/dashboard\/api\/(session|accounts\/[^/]+)$/.test(new URL(route.request().url()).pathname);

  // All tests share one page, because opening a new one for each would take long.
  let opened: Awaited<ReturnType<typeof openSignedIn>>;
  let fails = true;

  beforeAll(async () => {
    opened = await openSignedIn(browser, place.place, place.owner);
    await opened.page.clock.install();
    await opened.page.route('**/dashboard/api/**', (route) =>
      !fails || isFrame(route) ? route.fallback() : route.fulfill(refused),
    );
  });
  afterAll(async () => {
    expect(opened.faults()).toEqual({ errors: [], policy: [], foreign: [] });
    await opened.close();
  });

  it.each(dashboardPages)('is reported on $name, with a retry', async ({ name, path, shows }) => {
    const { page, goTo, fastForwardUntil } = opened;
    const again = page.getByRole('button', { name: 'Try again' });
    fails = true;
    await goTo(place.shop.id, path(place.ids));
    await fastForwardUntil(again);
    expect(await page.getByRole('alert').filter({ hasText: 'Not now.' }).count(), name).toBeGreaterThan(0);
    fails = false;
    const answered = async () => {
      // One retry may reload other parts too, whose buttons then vanish before they are clicked.
      if ((await again.count()) > 0) await again.first().click({ timeout: 2_000 }).catch(ignore);
      return (await again.count()) === 0 && page.getByText(shows).first().isVisible();
    };
    await until(`${name} is shown`, answered, 30_000);
  });
});

describe('by keyboard', () => {
  it('every list moves by j and k, and Enter opens the focused row', async () => {
    const opened = await openAs(place.owner);
    const { page, walkTo } = opened;
    const lists = [
      'payments',
      'refunds',
      'payment-links',
      'customers',
      'disputes',
      'webhooks',
      'events',
      'logs',
      'mails',
      'audit',
    ];
    for (const { name, path, shows } of dashboardPages.filter((one) => lists.includes(one.name))) {
      await walkTo(place.shop.id, path(place.ids), shows);
      const before = page.url();
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      await page.keyboard.press('k');
      const isFirst = 'document.activeElement === document.querySelector("#main [data-row]")';
      expect(await page.evaluate(isFirst), name).toBe(true);
      await page.keyboard.press('Enter');
      const drawer = page.getByRole('dialog');
      await opened.until(
        `location.href !== ${JSON.stringify(before)} || document.querySelector('[role=dialog]')`,
      );
      if ((await drawer.count()) === 0) continue;
      await page.keyboard.press('Escape');
      await drawer.waitFor({ state: 'detached' });
      await opened.until(isFirst);
    }
  });

  it('g and a letter go to the pages, and / and ? open the search and the list of shortcuts', async () => {
    const opened = await openAs(place.owner);
    const { page, goTo } = opened;
    await goTo(place.shop.id, '/settings/business');
    await texts(page, 'Account id');
    for (const [letter, heading] of [
      ['p', 'Payments'],
      ['r', 'Refunds'],
      ['c', 'Customers'],
      ['d', 'Disputes'],
      ['k', 'API keys'],
      ['w', 'Webhooks'],
      ['e', 'Events'],
      ['l', 'Request logs'],
      ['h', 'Home'],
    ] as const) {
      // Pressed at the same time, because the page forgets the first key after 1.5 seconds.
      await Promise.all([page.keyboard.press('g'), page.keyboard.press(letter)]);
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
      await opened.until('document.activeElement.matches("h1")');
    }
    for (const [key, dialog] of [
      ['/', 'Search'],
      ['Control+k', 'Search'],
      ['Meta+k', 'Search'],
      ['?', 'Keyboard shortcuts'],
    ] as const) {
      await page.keyboard.press(key);
      await page.getByRole('dialog', { name: dialog }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
  });

  it('the search goes to pages, to what it finds while somebody types, and by an id, with Enter', async () => {
    const opened = await openAs(place.owner);
    const { page, goTo } = opened;
    await goTo(place.shop.id, '/customers');
    await texts(page, 'Ada Lindqvist');
    await page.keyboard.press('/');
    await page.getByRole('combobox').fill('webhooks');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
    await page.keyboard.press('/');
    await page.getByRole('combobox').fill('ada');
    await page.getByRole('option', { name: /^Ada Lindqvist/ }).waitFor();
    await page.getByRole('option', { name: /€129\.00.*Action required/ }).waitFor();
    await opened.expectAccessible();
    // Both the payment and its customer are found, but the id is that of the payment.
    await page.getByRole('combobox').fill(place.ids.paid);
    await page.getByRole('option').nth(1).getByText('Ada Lindqvist').waitFor();
    await page.keyboard.press('Enter');
    await opened.until(`location.pathname.endsWith('/payments/${place.ids.paid}')`);
  });
});

describe('a payment', () => {
  it('leads to its API requests and its events', async () => {
    const { page, goTo } = await openAs(place.owner);
    for (const [link, first] of [
      ['API requests about this payment', 'POST /api/v1/payments'],
      ['Events of this payment', 'payment.succeeded'],
    ] as const) {
      await goTo(place.shop.id, `/payments/${place.ids.paid}`);
      await page.getByRole('link', { name: link }).click();
      await page
        .getByRole('row')
        .filter({ hasText: first.replace('POST ', 'POST') })
        .first()
        .waitFor();
      expect(new URL(page.url()).search).toContain(place.ids.paid);
    }
  });
});

it('messages stay in the workspace that they are about', async () => {
  const second = await Merchant.openAt(place.place, 'processor_a', '--name', 'Second shop');
  await addStaff(place.place, second.id, ownerEmail, 'owner');
  const { page, goTo } = await openAs(place.owner);
  await goTo(place.shop.id, '/sandbox?play=refunds');
  await page.getByRole('button', { name: 'Pay out' }).click();
  const message = page.getByRole('region', { name: 'Messages' }).getByText('The refund succeeded');
  await message.waitFor();
  await page.getByRole('button', { name: /^Workspace/ }).click();
  await page.getByRole('menuitem', { name: /Second shop/ }).click();
  await page.getByRole('button', { name: /^Workspace: Second shop/ }).waitFor();
  expect(await message.count()).toBe(0);
});

describe('preferences', () => {
  it('density makes rows narrower and persists; the menu links to the documentation', async () => {
    const { page, goTo } = await openAs(place.owner);
    await goTo(place.shop.id, '/payments');
    await texts(page, 'order-10386');
    const rowHeight = async () => (await page.locator('#main tbody tr').first().boundingBox())?.height ?? 0;
    const comfortable = await rowHeight();
    await page.getByRole('button', { name: 'Your menu' }).click();
    const documentation = page.getByRole('menuitem', { name: 'Documentation' });
    expect(await documentation.getAttribute('href')).toBe('/docs');
    expect((await fetch(new URL('/docs', page.url()))).status).toBe(200);
    await page.getByRole('menuitemradio', { name: 'Compact' }).click();
    await page.reload();
    await texts(page, 'order-10386');
    expect(await rowHeight()).toBeLessThan(comfortable);
  });

  it('nothing is animated with reduced motion', async () => {
    const { page, goTo } = await openAs(place.owner);
    await goTo(place.shop.id, '/payments');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await page.evaluate('document.getAnimations().length')).toBe(0);
  });
});
