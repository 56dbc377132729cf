import { afterAll, beforeAll, expect, it } from 'vitest';
import { Browser } from '../support/dashboard.ts';
import { Merchant } from '../support/merchant.ts';
import { cardPayment, fillCard, goodCard, openShop, origin, payBy } from './checkout-world.ts';
import { startBrowser, type TestBrowser } from './harness.ts';

const word = 'Donaudampfschifffahrtsgesellschaftskapitaensmuetzenfabrik';
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

let browser: TestBrowser;
let shop: Merchant;

beforeAll(async () => {
  [browser, shop] = await Promise.all([startBrowser(), Merchant.open('processor_b')]);
  const owner = await Browser.of(shop, 'owner');
  const settings = `/accounts/${shop.id}/settings/branding`;
  await owner.call('PATCH', settings, { body: { display_name: word } });
  const head = '--edge\r\nContent-Disposition: form-data; name="logo"; filename="logo.png"\r\n\r\n';
  const { status } = await owner.call('POST', `${settings}/logo`, {
    raw: Buffer.concat([Buffer.from(head), Buffer.from(png, 'base64'), Buffer.from('\r\n--edge--\r\n')]),
    headers: { 'content-type': 'multipart/form-data; boundary=edge' },
  });
  expect(status).toBe(201);
});
afterAll(() => browser.close());

it('a long word of the shop’s makes no page scroll sideways, 320 pixels wide', async () => {
  const payment = await cardPayment(shop, {
    description: word,
    line_items: [{ name: word, unit_amount: 4990 }],
  });
  const { body: link } = await shop.post('/api/v1/payment_links', {
    title: word,
    currency: 'EUR',
    amount: 4990,
    reference_label: word,
  });
  const opened = await browser.open(origin(), payment.path, { width: 320, height: 640 });
  try {
    expect(await opened.sidewaysScroll()).toBe(0);
    await openShop(opened);
    await payBy(opened);
    await opened.page.waitForURL('https://shop.example/**');
    await opened.page.goto(origin() + payment.path);
    expect(await opened.page.locator('.shop').innerText()).toBe(word);
    expect(await opened.sidewaysScroll()).toBe(0);
    await opened.page.goto(origin() + new URL(link.url).pathname);
    expect(await opened.page.locator('label').innerText()).toBe(word);
    expect(await opened.sidewaysScroll()).toBe(0);
  } finally {
    await opened.close();
  }
});

it('with text at 200 % the label of the card number breaks no word beside the brand, and no input leaves the form', async () => {
  const payment = await cardPayment(shop);
  const opened = await browser.open(origin(), payment.path, { width: 390, height: 800, locale: 'de' });
  try {
    await fillCard(opened, { ...goodCard, number: '370000000000002' });
    await opened.page.getByText('American Express', { exact: true }).first().waitFor();
    await opened.page.evaluate("document.documentElement.style.fontSize = '200%'");
    const linesOf = (selector: string) =>
      opened.page.evaluate<number>(`(() => {
        const label = document.querySelector(${JSON.stringify(selector)});
        return Math.round(label.getBoundingClientRect().height / parseFloat(getComputedStyle(label).lineHeight));
      })()`);
    expect(await linesOf('label[for="number"]')).toBe(1);
    await opened.page.setViewportSize({ width: 320, height: 640 });
    const ends = await opened.page.evaluate<number[]>(
      `['number', 'expiry', 'cvc', 'name'].map((id) => document.getElementById(id).getBoundingClientRect().right)`,
    );
    expect(new Set(ends).size).toBe(1);
    expect(await opened.sidewaysScroll()).toBe(0);
  } finally {
    await opened.close();
  }
});
