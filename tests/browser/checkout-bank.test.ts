import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Merchant } from '../support/merchant.ts';
import { until } from '../support/until.ts';
import {
  cardPayment,
  challengedCard,
  challengedPayment,
  chargesOf,
  fillCard,
  listenToPolicy,
  openShop,
  origin,
  payBy,
  statusOf,
  type Waiting,
} from './checkout-world.ts';
import { type OpenPage, startBrowser, type TestBrowser } from './harness.ts';

let browser: TestBrowser;
let bankShop: Merchant;
let strictShop: Merchant;

beforeAll(async () => {
  [browser, bankShop, strictShop] = await Promise.all([
    startBrowser(),
    Merchant.open('processor_a'),
    Merchant.open('processor_b', '--three-d-secure', 'enabled'),
  ]);
});
afterAll(() => browser.close());

const notApproved = 'You have not approved this payment. No money has been taken.';
const frame = ({ page }: OpenPage) => page.frameLocator('#bank iframe');

/**
 * A page that is navigating away cannot be evaluated, so it sends a request itself once it has handled a JSON response.
 */
const reportWhenHandled = `{
  const { json } = Response.prototype;
  Response.prototype.json = async function () {
    const body = await json.call(this);
    setTimeout(() => void fetch('/healthz'));
    return body;
  };
}`;

async function atBank(payment: Waiting, work: (opened: OpenPage) => Promise<void>): Promise<void> {
  const opened = await browser.open(origin());
  try {
    await openShop(opened);
    await opened.page.goto(origin() + payment.path);
    await work(opened);
  } finally {
    await opened.close();
  }
}

describe('the bank’s challenge', () => {
  it('is passed in a frame of our page, and the whole window returns to the shop', async () => {
    const payment = await challengedPayment(bankShop);
    await atBank(payment, async (opened) => {
      const element = opened.page.locator('#bank iframe');
      expect(await element.getAttribute('title')).toBe('Bank verification');
      expect(await element.getAttribute('allow')).toBe('payment *; publickey-credentials-get *');
      await frame(opened).locator('#password').fill('password');
      await frame(opened).locator('[value="password"]').click();
      await opened.page.waitForURL('https://shop.example/ok**');
      expect(new URL(opened.page.url()).searchParams.get('payment_id')).toBe(payment.id);
      expect(opened.faults()).toMatchObject({ errors: [], policy: [] });
    });
    expect(await chargesOf(payment)).toHaveLength(1);
  });

  it('that is failed redirects the whole window to failure_url', async () => {
    const payment = await challengedPayment(bankShop);
    await atBank(payment, async (opened) => {
      await frame(opened).locator('[value="fail"]').click();
      await opened.page.waitForURL('https://shop.example/failed**');
    });
    expect(await statusOf(payment)).toBe('failed');
  });

  it('of a card typed on the page can be cancelled for another card', async () => {
    const payment = await cardPayment(strictShop);
    await atBank(payment, async (opened) => {
      await payBy(opened, challengedCard);
      await frame(opened).locator('[value="cancel"]').click();
      await opened.page.locator('#card').waitFor();
      expect(await opened.page.locator('#summary').innerText()).toBe(notApproved);
      await fillCard(opened);
      await opened.page.click('#pay');
      await opened.page.waitForURL('https://shop.example/ok**');
    });
    expect(await chargesOf(payment)).toHaveLength(1);
  });

  it('that is cancelled says so where the page learns that it has ended on its way there', async () => {
    const payment = await cardPayment(strictShop);
    await atBank(payment, async (opened) => {
      const { page } = opened;
      const polls: Route[] = [];
      await page.route('**/state', (route) => {
        polls.push(route);
      });
      await page.route('**/checkout/cancel/**', async (route) => {
        // The frame requests this page first, then the whole window does.
        if (route.request().frame() !== page.mainFrame()) return route.continue();
        const cancelled = await route.fetch();
        const handled = page.waitForRequest('**/healthz');
        for (const poll of polls) await poll.fulfill({ response: await poll.fetch() });
        await handled;
        await route.fulfill({ response: cancelled });
      });
      await payBy(opened, challengedCard);
      await until('the page has asked for the state', () => polls.length > 0);
      await page.evaluate(reportWhenHandled);
      await frame(opened).locator('[value="cancel"]').click();
      await page.locator('#card').waitFor();
      expect(new URL(page.url()).pathname).toMatch(/^\/checkout\/cancel\//);
      expect(await page.locator('#summary').innerText()).toBe(notApproved);
    });
  });

  it('of a card typed on the page can be cancelled before it is answered', async () => {
    const payment = await cardPayment(strictShop);
    await atBank(payment, async (opened) => {
      await payBy(opened, challengedCard);
      await opened.page.getByText('Use another card').click();
      await payBy(opened);
      await opened.page.waitForURL('https://shop.example/ok**');
    });
    expect(await chargesOf(payment)).toHaveLength(1);
  });

  it('is resumed after a reload', async () => {
    const payment = await cardPayment(strictShop);
    await atBank(payment, async (opened) => {
      await payBy(opened, challengedCard);
      await opened.page.reload();
      await frame(opened).locator('[value="pass"]').click();
      await opened.page.waitForURL('https://shop.example/ok**');
    });
    expect(await chargesOf(payment)).toHaveLength(1);
  });
});

describe('a bank’s page that refuses framing', () => {
  it('opens in the whole window by a link', async () => {
    const payment = await challengedPayment(bankShop);
    await atBank(payment, async (opened) => {
      const { page, context } = opened;
      await context.route('**/sandbox/processor-a/challenge/*', async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, headers: { ...response.headers(), 'x-frame-options': 'DENY' } });
      });
      await page.reload();
      await page.getByText('Open your bank’s page in the whole window').click();
      await page.locator('[value="pass"]').waitFor();
      await opened.expectAccessible();
      await page.locator('[value="pass"]').click();
      await page.waitForURL('https://shop.example/ok**');
    });
    expect(await statusOf(payment)).toBe('succeeded');
  });

  it('opens in the whole window by itself after a redirect to an origin outside of the policy', async () => {
    const payment = await challengedPayment(bankShop);
    const opened = await browser.open(origin());
    const bank = 'https://acs.bank.example/challenge';
    await opened.context.route('**/checkout/pay/*/continue', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<!doctype html><meta http-equiv="refresh" content="0; url=${bank}">`,
      }),
    );
    await opened.context.route(`${bank}**`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Bank</title><h1>Bank</h1>' }),
    );
    await opened.page.goto(origin() + payment.path);
    await opened.page.waitForURL(bank);
    expect(await opened.page.locator('h1').innerText()).toBe('Bank');
    await opened.close();
  });
});

describe('our page in a frame of another site', () => {
  it('is not shown', async () => {
    const payment = await cardPayment(strictShop);
    const thief = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<iframe src="${origin()}${payment.path}"></iframe>`);
    });
    await new Promise<void>((resolve) => thief.listen(0, '127.0.0.1', resolve));
    const { port } = thief.address() as AddressInfo;
    const opened = await browser.open(`http://127.0.0.1:${port}`, undefined, { javaScript: false });
    const said = listenToPolicy(opened);
    await opened.page.goto(`http://127.0.0.1:${port}/`);
    await until('the browser has refused it', async () => said.length > 0);
    expect(said.join()).toContain('frame-ancestors');
    thief.close();
    await opened.close();
  });
});
