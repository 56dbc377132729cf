import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Merchant } from '../support/merchant.ts';
import { until } from '../support/until.ts';
import {
  cardPayment,
  challengedCard,
  challengedPayment,
  chargesOf,
  goodCard,
  listenToPolicy,
  openShop,
  origin,
  payBy,
  statusOf,
  type Waiting,
  walletPayment,
} from './checkout-world.ts';
import { type OpenPage, startBrowser, type TestBrowser } from './harness.ts';

let browser: TestBrowser;
let shop: Merchant;
let bankShop: Merchant;
let strictShop: Merchant;

beforeAll(async () => {
  [browser, shop, bankShop, strictShop] = await Promise.all([
    startBrowser(),
    Merchant.open('processor_b'),
    Merchant.open('processor_a'),
    Merchant.open('processor_b', '--three-d-secure', 'enabled'),
  ]);
});
afterAll(() => browser.close());

/**
 * Completes a payment in a browser that runs no script. The content security policy may not refuse anything on the way.
 */
async function withoutScript(payment: Waiting, work: (opened: OpenPage) => Promise<void>): Promise<void> {
  const opened = await browser.open(origin(), undefined, { javaScript: false });
  try {
    const refused = listenToPolicy(opened);
    await openShop(opened);
    await opened.page.goto(origin() + payment.path);
    await work(opened);
    expect(opened.faults().errors).toEqual([]);
    expect(refused).toEqual([]);
  } finally {
    await opened.close();
  }
}

const endsAt = async ({ page }: OpenPage, address: string, { id }: Waiting, timeout = 30_000) => {
  await page.waitForURL(`https://shop.example/${address}**`, { timeout });
  expect(new URL(page.url()).searchParams.get('payment_id')).toBe(id);
};

describe('without JavaScript', () => {
  it('a card is charged, and the browser returns to the shop’s origin', async () => {
    const payment = await cardPayment(shop);
    await withoutScript(payment, async (opened) => {
      await payBy(opened);
      await endsAt(opened, 'ok', payment);
    });
    expect(await chargesOf(payment)).toHaveLength(1);
  });

  it('a declined card redirects to the shop', async () => {
    const payment = await cardPayment(shop);
    await withoutScript(payment, async (opened) => {
      await payBy(opened, { ...goodCard, name: 'CCREJECT-REFUSED' });
      await endsAt(opened, 'failed', payment);
    });
    expect(await statusOf(payment)).toBe('failed');
  });

  it('a wallet is approved', async () => {
    const payment = await walletPayment(shop);
    await withoutScript(payment, async (opened) => {
      await opened.page.locator('a.action').click();
      await opened.page.locator('[value="approve"]').click();
      await endsAt(opened, 'ok', payment);
    });
    expect(await chargesOf(payment)).toHaveLength(1);
  });

  it('a bank’s challenge is passed in the whole window', async () => {
    const payment = await challengedPayment(bankShop);
    await withoutScript(payment, async (opened) => {
      expect(await opened.page.locator('#bank').isVisible()).toBe(false);
      await opened.page.locator('.unscripted a').click();
      await opened.page.locator('[value="pass"]').click();
      await endsAt(opened, 'ok', payment);
    });
    expect(await statusOf(payment)).toBe('succeeded');
  });

  it('a card that its bank challenges is passed in the whole window', async () => {
    const payment = await cardPayment(strictShop);
    await withoutScript(payment, async (opened) => {
      await payBy(opened, challengedCard);
      expect(await opened.page.locator('h1').innerText()).toBe('Your bank is checking your details');
      await opened.page.locator('.unscripted a').click();
      await opened.page.locator('[value="pass"]').click();
      await endsAt(opened, 'ok', payment);
    });
    expect(await chargesOf(payment)).toHaveLength(1);
  });

  it('a payment in doubt leads to its outcome once it is known', async () => {
    const payment = await cardPayment(shop);
    await withoutScript(payment, async (opened) => {
      await payBy(opened, { ...goodCard, name: 'SIM-500-DONE' });
      expect(await opened.page.locator('.lead').innerText()).toContain('do not pay again');
      await opened.page.locator('a.action').click();
      await endsAt(opened, 'ok', payment, 55_000);
    });
    expect(await chargesOf(payment)).toHaveLength(1);
    await until('the payment has succeeded', async () => (await statusOf(payment)) === 'succeeded');
  }, 90_000);
});
