import { afterAll, beforeAll, expect, it } from 'vitest';
import { Merchant } from '../support/merchant.ts';
import {
  cardPayment,
  holdLease,
  openShop,
  origin,
  payBy,
  releaseLease,
  walletPayment,
} from './checkout-world.ts';
import { type OpenPage, startBrowser, type TestBrowser } from './harness.ts';

let browser: TestBrowser;
let shop: Merchant;

beforeAll(async () => {
  [browser, shop] = await Promise.all([startBrowser(), Merchant.open('processor_b')]);
});
afterAll(() => browser.close());

const status = ({ page }: OpenPage) => page.locator('#status').innerText();
const minute = 60_000;

it('announces the last 5 minutes and the last minute, and reloads at expiry', async () => {
  const opened = await browser.open(origin());
  await opened.page.clock.install();
  await opened.page.goto(origin() + (await walletPayment(shop)).path);
  expect(await status(opened)).toBe('');
  await opened.page.clock.runFor(10 * minute + 2_000);
  expect(await status(opened)).toBe('5 minutes left to complete the payment.');
  await opened.page.clock.runFor(4 * minute);
  expect(await status(opened)).toBe('1 minute left to complete the payment.');
  const reopened = opened.page.waitForEvent('load');
  await opened.page.clock.runFor(minute);
  await reopened;
  await opened.close();
});

it('shows until when the payment can be completed in the reader’s own time', async () => {
  const opened = await browser.open(origin(), undefined, { timezone: 'Asia/Tokyo' });
  const { path, merchant, id } = await cardPayment(shop);
  await opened.page.goto(origin() + path);
  const { body } = await merchant.get(`/api/v1/payments/${id}`);
  const end = new Date((body.created + 15 * 60) * 1000);
  const shown = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'Asia/Tokyo' });
  const around = [-1, 0, 1].map(
    (seconds) => `Complete by ${shown.format(new Date(end.getTime() + seconds * 1000))}.`,
  );
  expect(around).toContain(await opened.page.locator('#deadline').innerText());
  await opened.close();
});

it('says after 30 seconds of processing that it may be closed, and continues when the payment ends', async () => {
  const payment = await cardPayment(shop);
  const opened = await browser.open(origin());
  await openShop(opened);
  await opened.page.goto(origin() + payment.path);
  const form = await browser.tab(opened, origin(), payment.path);
  await holdLease(payment);
  let isPaid = () => {};
  const paid = new Promise<void>((resolve) => {
    isPaid = resolve;
  });
  let polls = 0;
  // A poll between the end of the lease and the payment would lead back to the form.
  await opened.page.route('**/state', async (route) => {
    polls += 1;
    if (polls > 1) await paid;
    await route.continue();
  });
  await opened.page.clock.install();
  const polled = opened.page.waitForResponse('**/state');
  await opened.page.reload();
  expect(await opened.page.locator('h1').innerText()).toBe('Processing. Do not pay again.');
  await opened.page.clock.runFor(31_000);
  expect(await status(opened)).toContain('You can safely close this page: Test shop will learn the outcome.');
  // The first poll is also answered while the lease is held.
  await polled;
  await releaseLease(payment);
  await payBy(form);
  isPaid();
  await opened.page.waitForURL('https://shop.example/ok**');
  await opened.close();
});
