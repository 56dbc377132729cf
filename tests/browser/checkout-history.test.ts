import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Merchant } from '../support/merchant.ts';
import {
  cardPayment,
  chargesOf,
  goodCard,
  openLiveShop,
  openShop,
  origin,
  payBy,
  query,
  refusedCard,
  type Waiting,
} from './checkout-world.ts';
import { type OpenPage, startBrowser, type TestBrowser } from './harness.ts';
import { serveFields } from './screenshots/checkout.ts';

let browser: TestBrowser;
let strict: Merchant;
let links: Merchant;

beforeAll(async () => {
  [browser, strict, links] = await Promise.all([
    startBrowser(),
    Merchant.open('processor_b', '--three-d-secure', 'enabled'),
    Merchant.open('processor_a'),
  ]);
});
afterAll(() => browser.close());

async function withPage(path: string, work: (opened: OpenPage) => Promise<void>): Promise<void> {
  const opened = await browser.open(origin(), path);
  try {
    await work(opened);
  } finally {
    await opened.close();
  }
}

const attemptsOf = async ({ id }: Waiting) =>
  (await query<{ attempts: number }>('select attempts from checkout_tokens where payment_id = $1', [id]))[0]
    ?.attempts;

const asks = { title: 'Course', currency: 'EUR', amount_range: { min: 500, max: 10_000 } };

async function linkPath(): Promise<string> {
  const { body } = await links.post('/api/v1/payment_links', asks);
  return new URL(body.url).pathname;
}

const enter = async ({ page }: OpenPage, amount: string) => {
  await page.fill('#amount', amount);
  await Promise.all([page.waitForNavigation(), page.click('form button')]);
};

describe('the answer to a form', () => {
  it('that refused the card sends it no second time when it is reloaded', async () => {
    const payment = await cardPayment(strict);
    await withPage(payment.path, async (opened) => {
      await payBy(opened, refusedCard);
      expect(await opened.page.title()).toBe('Error: Pay Test shop');
      await opened.page.reload();
      expect(await opened.page.title()).toBe('Pay Test shop');
      expect(await attemptsOf(payment)).toBe(1);
      expect(await chargesOf(payment)).toEqual([]);
    });
  });

  it('that refused the card says what is missing of the next one as the first form does', async () => {
    const payment = await cardPayment(strict);
    await withPage(payment.path, async (opened) => {
      await payBy(opened, refusedCard);
      await opened.page.fill('#name', 'Jane Smith');
      await opened.page.click('#pay');
      const summary = opened.page.locator('#summary');
      await summary.getByRole('heading', { name: 'Please check your details' }).waitFor();
      expect(await summary.innerText()).toContain('No money has been taken.');
      expect(await summary.innerText()).not.toContain('This card was refused.');
      expect(await summary.locator('li').count()).toBe(3);
      expect(await opened.page.evaluate('document.activeElement.id')).toBe('summary');
    });
  });

  it('that refused the card can be gone back to once another card has paid', async () => {
    const payment = await cardPayment(strict);
    await withPage(payment.path, async (opened) => {
      await openShop(opened);
      await payBy(opened, refusedCard);
      await payBy(opened, goodCard);
      await opened.page.waitForURL('https://shop.example/ok**');
      await opened.page.goBack();
      expect(await opened.page.locator('.lead').innerText()).toContain('This payment is already complete.');
      expect(await attemptsOf(payment)).toBe(2);
    });
  });

  it('of a link, whether it named a mistake or asks for the card, can be reloaded and gone back to', async () => {
    await withPage(await linkPath(), async (opened) => {
      const { page } = opened;
      await enter(opened, '1');
      expect(await page.title()).toBe('Error: Pay Test shop');
      await enter(opened, '20');
      await page.locator('#number').waitFor();
      await page.reload();
      await page.locator('#amount').waitFor();
      expect(await page.title()).toBe('Pay Test shop');
      await page.goBack();
      await page.locator('#amount').waitFor();
    });
  });

  it('of the processor’s own fields can be reloaded', async () => {
    const payment = await cardPayment(await openLiveShop('processor'));
    await withPage('/healthz', async (opened) => {
      const { page } = opened;
      await serveFields(opened);
      await page.goto(origin() + payment.path);
      await Promise.all([page.waitForNavigation(), page.click('#pay')]);
      expect(await page.locator('#summary-reason').innerText()).toContain(
        'You have not approved this payment.',
      );
      const [answer] = await Promise.all([page.waitForResponse(`**${payment.path}**`), page.reload()]);
      expect([answer.request().method(), answer.status()]).toEqual(['GET', 200]);
    });
  });
});
