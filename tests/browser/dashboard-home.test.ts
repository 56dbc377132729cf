import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { addStaff, staffPassword } from '../support/dashboard.ts';
import { freshEmail, Merchant, target, till } from '../support/merchant.ts';
import { until } from '../support/until.ts';
import { type OpenPage, startBrowser, type TestBrowser, type View } from './harness.ts';

/** The home page and the outbox of mails. */
const cleanUp = new CleanUp();
const pages: OpenPage[] = [];
const day = 24 * 3600;
let browser: TestBrowser;
/** A shop with objects in every state that needs attention. */
let shop: Merchant;

const attack = '<img src=x onerror=document.title=1>"\'&';

beforeAll(async () => {
  browser = await startBrowser();
  cleanUp.add(browser.close);
  shop = await Merchant.open('processor_b');
  await addStaff(target(), shop.id, freshEmail(), 'owner');
  await till('webhooks', 'create', '--account', shop.id, '--url', 'http://127.0.0.1:9/<img>?a="b"');
  await shop.pay({ capture_method: 'manual', amount: 12_900, reference: attack });
  await shop.post('/api/v1/test_helpers/clock/advance', { seconds: 27 * day });
  await shop.pay({ amount: 50_000, currency: 'JPY' });
  const { body: payment } = await shop.pay();
  await shop.pay({ card: { holder_name: 'CCREJECT-REFUSED' } });
  await shop.post(`/api/v1/test_helpers/payments/${payment.id}/dispute`, {});
});
afterAll(cleanUp.run);

afterEach(async () => {
  for (const opened of pages.splice(0)) {
    expect(opened.faults()).toEqual({ errors: [], policy: [], foreign: [] });
    await opened.close();
  }
});

async function member(role: string, path: string, view?: View, merchant = shop): Promise<OpenPage> {
  const email = freshEmail();
  await addStaff(target(), merchant.id, email, role);
  const opened = await browser.open(target().baseUrl, `/dashboard/${merchant.id}${path}`, view);
  pages.push(opened);
  await opened.page.getByLabel('E-mail address').fill(email);
  await opened.page.getByLabel('Password').fill(staffPassword);
  await opened.page.getByRole('button', { name: 'Sign in' }).click();
  return opened;
}

describe('the home page', () => {
  it('of a new shop shows the first steps with links', async () => {
    const fresh = await Merchant.open();
    const opened = await member('owner', '', {}, fresh);
    const { page } = opened;
    await page.getByText('0 of 7 done').waitFor();
    await page.getByText('Nothing needs you right now.').waitFor();
    await page.getByText('No payments in the last 60 days').waitFor();
    await page.getByText('There is no endpoint yet.').waitFor();
    await opened.expectAccessible();
    await page.getByRole('link', { name: 'Open webhooks' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
    await page.goBack();

    const hide = page.getByRole('button', { name: 'Hide first steps' });
    await hide.focus();
    await page.keyboard.press('Enter');
    await hide.waitFor({ state: 'detached' });
    await page.reload();
    const show = page.getByRole('button', { name: 'Show first steps' });
    await show.focus();
    await page.keyboard.press('Enter');
    await page.getByText('0 of 7 done').waitFor();
  });

  it.each(['', '/payments'])(
    'asks for each answer once, and for the first before its script has run: %j',
    async (path) => {
      const { page } = await member('viewer', '');
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
      const asked: string[] = [];
      // The page preloads other pages, whose requests must not be counted for the page under test.
      await page.goto('about:blank');
      page.on('request', (request) => {
        const { pathname, search } = new URL(request.url());
        if (/\/api\/|\.js$/.test(pathname)) asked.push(pathname.replace(/.*\/(api|assets)\//, '') + search);
      });
      await page.goto(`${target().baseUrl}/dashboard/${shop.id}${path}`);
      await page.waitForLoadState('networkidle');
      expect(asked.length).toBeGreaterThan(5);
      expect(asked.filter((address, index) => asked.indexOf(address) !== index)).toEqual([]);
      const list = path === '' ? '/home' : '/payments?sort=-created&page=1&per_page=50';
      const first = ['session', `accounts/${shop.id}`, `accounts/${shop.id}${list}`];
      const script = asked.findIndex((address) => /^index-.*js$/.test(address));
      expect(asked.slice(0, script)).toEqual(expect.arrayContaining(first));
    },
  );

  it('shows what needs attention and the figures per currency', async () => {
    const opened = await member('admin', '');
    const { page } = opened;
    const attention = page.getByRole('region', { name: 'Needs attention' });
    await attention.getByText('Disputes to answer').waitFor();
    await attention.getByText(attack).waitFor();
    await until('the endpoint has failed', async () => {
      await page.reload();
      await attention.waitFor();
      return (await attention.getByText('Webhook endpoints in trouble').count()) === 1;
    });
    const euro = page.getByRole('region', { name: 'Key figures in Euro' });
    await euro.getByText('€49.90').first().waitFor();
    const yen = page.getByRole('region', { name: 'Key figures in Japanese Yen' });
    await yen.getByText('JP¥50,000').first().waitFor();
    expect(await yen.getByText('€').count()).toBe(0);
    for (const title of ['Success rate', 'Decline reasons', 'API response time', 'Webhook health']) {
      await page.getByRole('figure', { name: title }).waitFor();
    }
    await opened.expectAccessible();
    await page.emulateMedia({ colorScheme: 'dark' });
    await opened.expectAccessible();
  });

  it('changes range and currency in the address, by keyboard, and shows charts as tables', async () => {
    const opened = await member('viewer', '?currency=JPY');
    const { page } = opened;
    await page.getByRole('figure', { name: 'Volume in JPY' }).waitFor();
    await page.getByRole('radio', { name: '30 days' }).focus();
    await page.keyboard.press('ArrowRight');
    await opened.until(`location.search === '?currency=JPY&range=90'`);
    await page.getByRole('button', { name: 'Table of Volume in JPY' }).focus();
    await page.keyboard.press('Enter');
    const table = page.getByRole('table', { name: 'Volume in JPY' });
    await table.getByText('JP¥50,000').waitFor();
    await until('90 days are shown', async () => (await table.getByRole('row').count()) === 91);
    await page.getByText('Your role does not show webhook endpoints.').waitFor();
    await page.getByLabel('Currency of volume and rates').selectOption('EUR');
    await page.getByRole('figure', { name: 'Volume in EUR' }).waitFor();
    await opened.until(`location.search === '?currency=EUR&range=90'`);
    await opened.expectAccessible();
  });

  it.each([{}, { width: 390, height: 844 }])(
    'moves nothing that is there while it loads, at %j',
    async (view) => {
      const { page } = await member('owner', '', view);
      await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
      await page.reload();
      await page.getByRole('figure', { name: 'Webhook health' }).waitFor();
      // Layout shifts are known once the frame in which they happened has been drawn.
      const moved = await page.evaluate<number>(`new Promise((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(() => {
          const observer = new PerformanceObserver(() => {});
          observer.observe({ type: 'layout-shift', buffered: true });
          resolve(observer.takeRecords().reduce((sum, { value }) => sum + value, 0));
        }));
      })`);
      expect(moved).toBeLessThanOrEqual(0.02);
    },
  );

  it('fits a narrow screen', async () => {
    const opened = await member('viewer', '', { width: 320, height: 640 });
    await opened.page.getByRole('region', { name: 'Key figures in Euro' }).waitFor();
    await opened.page.getByRole('figure', { name: 'Success rate' }).waitFor();
    await opened.expectAccessible();
  });
});

describe('the outbox', () => {
  it('says that mail is kept only, and opens one by keyboard, in light and dark', async () => {
    const opened = await member('developer', '/mails');
    const { page } = opened;
    await page.getByText('No mail server is set: mails are only kept here and reach nobody.').waitFor();
    await page.getByRole('row').nth(1).waitFor();
    await opened.expectAccessible();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    const drawer = page.getByRole('dialog', { name: 'Mail' });
    await drawer.getByText('A buyer or their bank disputes a payment').waitFor();
    await drawer.getByText('No mail server was set when it was written.').waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await opened.expectAccessible();
    }
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    await opened.until(`document.activeElement?.hasAttribute('data-row')`);
    await opened.until(`location.search === ''`);
  });

  it('is hidden from a viewer with an explanation', async () => {
    const opened = await member('viewer', '/mails', { width: 320 });
    await opened.page.getByText('Your role does not show mail').waitFor();
    await opened.expectAccessible();
  });
});
