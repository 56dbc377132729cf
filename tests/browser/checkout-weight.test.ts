import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Merchant } from '../support/merchant.ts';
import { cardPayment, openLiveShop, origin, payBy, query, walletPayment } from './checkout-world.ts';
import { type OpenPage, startBrowser, type TestBrowser } from './harness.ts';
import { serveFields } from './screenshots/checkout.ts';

let browser: TestBrowser;
let shop: Merchant;

beforeAll(async () => {
  [browser, shop] = await Promise.all([startBrowser(), Merchant.open('processor_b')]);
});
afterAll(() => browser.close());

/** Simulates slow 4G (150 ms round trip, 1.6 Mbit/s) and a CPU at a quarter of its speed. */
async function slowDown({ page, context }: OpenPage) {
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 150,
    downloadThroughput: 200_000,
    uploadThroughput: 93_750,
  });
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  const load = { bytes: 0, requests: 0 };
  session.on('Network.requestWillBeSent', () => {
    load.requests += 1;
  });
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    load.bytes += encodedDataLength;
  });
  return load;
}

/** Records how far content shifted without any input of the reader (web.dev, CLS), and the last and largest paint. */
const watchLayout = `window.tillShift = 0; window.tillPaint = 0;
new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.tillShift += entry.value; })
  .observe({ type: 'layout-shift', buffered: true });
new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.tillPaint = entry.startTime; })
  .observe({ type: 'largest-contentful-paint', buffered: true });`;

/** An order with ten lines, which the page collapses. */
const order = {
  amount: 10_000,
  reference: 'order-1001',
  description: 'Spring order, delivered between 3 and 5 December',
  line_items: Array.from({ length: 10 }, (_value, place) => ({
    name: `Mug of the potter’s series number ${place}`,
    unit_amount: 500,
    quantity: 2,
  })),
};

/** A picture of 400 × 120 pixels, like one that a merchant may have uploaded. */
const logo = {
  bytes: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
};

describe('on a slow line and a slow phone', () => {
  it.each([
    ['the card form', cardPayment],
    ['the wallet page', walletPayment],
  ])(
    '%s, with a logo and an order, takes at most 15 kB and 5 requests of this origin, and nothing on it moves',
    async (_name, make) => {
      await query(
        `insert into account_branding (account_id, display_name, colour, logo, logo_type, logo_width, logo_height,
         logo_sha256, updated_at)
       values ($1, 'Café Ölmütz', '0a7d5a', $2, 'image/png', 400, 120, 'abc', '2026-01-01') on conflict do nothing`,
        [shop.id, logo.bytes],
      );
      const { path } = await make(shop, order);
      const opened = await browser.open(origin(), undefined, { width: 390, height: 844, unused: true });
      await opened.context.addInitScript(watchLayout);
      const load = await slowDown(opened);
      await opened.page.goto(origin() + path);
      await opened.until('window.tillPaint > 0');
      process.stdout.write(
        `checkout page: ${load.bytes} bytes, ${load.requests} requests, largest paint ${Math.round(
          await opened.page.evaluate<number>('window.tillPaint'),
        )} ms\n`,
      );
      expect(load.bytes).toBeLessThanOrEqual(15_000);
      expect(load.requests).toBeLessThanOrEqual(5);
      expect(await opened.page.evaluate('window.tillShift')).toBe(0);
      expect(opened.faults()).toEqual({ errors: [], policy: [], foreign: [] });
      await opened.close();
    },
  );
});

describe('the files of the page', () => {
  it('stay within 8, 6 and 12 kB each when they are packed', async () => {
    const text = async (path: string) => (await fetch(new URL(path, origin()))).text();
    const packed = (content: string) => gzipSync(content).length;
    const html = await text((await cardPayment(shop)).path);
    const [, style = ''] = /<link rel="stylesheet" href="([^"]*)"/.exec(html) ?? [];
    const [, script = ''] = /<script src="([^"]*)"/.exec(html) ?? [];
    expect(packed(html)).toBeLessThanOrEqual(8_000);
    expect(packed(await text(style))).toBeLessThanOrEqual(6_000);
    expect(packed(await text(script))).toBeLessThanOrEqual(12_000);
  });
});

describe('the processor’s own card fields', () => {
  it('are loaded only on live payments of connections that choose them, and keep the card from our server', async () => {
    const live = await openLiveShop('processor');
    const payment = await cardPayment(live, {
      success_url: null,
      failure_url: null,
      description: 'SIM-CARDFIELDS-APPROVE',
    });
    const opened = await browser.open(origin());
    await serveFields(opened);
    await opened.page.goto(origin() + payment.path);
    expect(await opened.page.locator('input').count()).toBe(0);
    await Promise.all([opened.page.waitForURL('**/approved'), opened.page.click('#pay')]);
    expect(await opened.page.locator('h1').innerText()).toBe('Payment complete');
    expect(opened.faults()).toEqual({
      errors: [],
      policy: [],
      foreign: ['https://www.paypal.com/web-sdk/v6/core'],
    });
    await opened.close();
    const ours = await browser.open(origin(), (await cardPayment(await openLiveShop('first_party'))).path);
    expect(ours.faults().foreign).toEqual([]);
    expect(await ours.page.locator('#number').isVisible()).toBe(true);
    await payBy(ours);
    await ours.close();
  });

  it('that refuse a card, or cannot be loaded, say that no money was taken', async () => {
    const live = await openLiveShop('processor');
    const opened = await browser.open(origin(), undefined, { unused: true });
    await opened.context.addInitScript(`window.tillTestState = 'failed';`);
    await serveFields(opened);
    const { path } = await cardPayment(live);
    await opened.page.goto(origin() + path);
    await opened.page.click('#pay');
    expect(await opened.page.locator('#summary').innerText()).toBe(
      'This card was not accepted. No money has been taken. Check it, or use another card.',
    );
    await opened.page.unroute('https://www.paypal.com/**');
    await opened.page.route('https://www.paypal.com/**', (route) => route.abort());
    await opened.page.reload();
    await opened.page.locator('#summary').waitFor();
    expect(await opened.page.locator('#summary').innerText()).toBe(
      'The card form could not be loaded. No money has been taken. Reload the page to try again.',
    );
    await opened.close();
  });
});
