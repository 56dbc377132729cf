import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Merchant } from '../support/merchant.ts';
import { until } from '../support/until.ts';
import {
  cardPayment,
  chargesOf,
  fillCard,
  goodCard,
  openShop,
  origin,
  payBy,
  type Waiting,
} from './checkout-world.ts';
import { type OpenPage, startBrowser, type TestBrowser } from './harness.ts';

let browser: TestBrowser;
let shop: Merchant;
let payment: Waiting;

beforeAll(async () => {
  [browser, shop] = await Promise.all([startBrowser(), Merchant.open('processor_b')]);
});
afterAll(() => browser.close());
beforeEach(async () => {
  payment = await cardPayment(shop);
});

async function withForm(work: (opened: OpenPage) => Promise<void>): Promise<void> {
  const opened = await browser.open(origin(), payment.path);
  try {
    await work(opened);
  } finally {
    await opened.close();
  }
}

describe('a card that the page has sent', () => {
  it('is charged once by a double click', () =>
    withForm(async (opened) => {
      await openShop(opened);
      await fillCard(opened);
      await opened.page.dblclick('#pay');
      await opened.page.waitForURL('https://shop.example/**');
      expect(await chargesOf(payment)).toHaveLength(1);
      expect(opened.faults().errors).toEqual([]);
    }));

  it('is announced as processing, and not sent again by a second click', () =>
    withForm(async (opened) => {
      const { page } = opened;
      let sent = 0;
      await page.route(`**${payment.path}`, (route) => {
        sent += 1;
        return route.fulfill({ status: 204 });
      });
      await fillCard(opened);
      for (let click = 0; click < 3; click += 1) await page.click('#pay', { noWaitAfter: true, force: true });
      await until('it was sent', async () => sent > 0);
      expect(await page.locator('#status').innerText()).toBe('Processing. Do not pay again.');
      expect(await page.locator('#pay').getAttribute('aria-disabled')).toBe('true');
      expect(sent).toBe(1);
    }));

  it(
    'is charged once where the page is reloaded meanwhile: it shows "Processing", then the outcome',
    () =>
      withForm(async (opened) => {
        await openShop(opened);
        await fillCard(opened, { ...goodCard, name: 'SIM-500-DONE' });
        const second = await browser.tab(opened, origin());
        await opened.page.click('#pay', { noWaitAfter: true });
        await until('the card is being sent', async () => {
          await second.page.goto(origin() + payment.path);
          return (await second.page.locator('h1').innerText()) === 'Processing. Do not pay again.';
        });
        await second.page.waitForURL('https://shop.example/ok**', { timeout: 55_000 });
        expect(await chargesOf(payment)).toHaveLength(1);
      }),
    90_000,
  );

  it('is not charged again from another tab that still shows the form, nor by going back', () =>
    withForm(async (opened) => {
      await openShop(opened);
      const second = await browser.tab(opened, origin(), payment.path);
      await payBy(opened);
      await opened.page.waitForURL('https://shop.example/**');
      await payBy(second);
      const text = 'This payment is already complete. You have not been charged twice.';
      expect(await second.page.locator('.lead').innerText()).toBe(text);
      await opened.page.goBack();
      expect(await opened.page.locator('.lead').innerText()).toBe(text);
      expect(await chargesOf(payment)).toHaveLength(1);
    }));

  it('is left neither in the page, nor in the browser’s storage, nor in a URL', () =>
    withForm(async (opened) => {
      const { page, context } = opened;
      await fillCard(opened, { ...goodCard, cvc: '938', number: '4035501428146300' });
      await page.fill('#name', '');
      await page.evaluate(`document.getElementById('card').submit()`);
      await page.locator('#summary-list li').first().waitFor();
      const kept = [
        await page.content(),
        await page.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])'),
        JSON.stringify(await context.cookies()),
        page.url(),
      ].join(' ');
      expect(kept.replaceAll(' ', '')).not.toContain('4035501428146300');
      expect(kept).not.toMatch(/\b938\b/);
      expect(await page.inputValue('#number')).toBe('');
      expect(await page.inputValue('#cvc')).toBe('');
    }));
});
