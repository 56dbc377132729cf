import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { Browser } from '../support/dashboard.ts';
import { Merchant, target, till } from '../support/merchant.ts';
import { until } from '../support/until.ts';
import { type OpenPage, startBrowser, type TestBrowser, type View } from './harness.ts';

/** Dialogs, filters, messages and lists with little room: on a phone, with long words, and with text at 200 %. */
const cleanUp = new CleanUp();
const pages: OpenPage[] = [];
const phone = { width: 320, height: 640 };
const word = 'Donaudampfschifffahrtselektrizitätenhaup';
let browser: TestBrowser;
let shop: Merchant;
let owner: Browser;
let held: string;
let dispute: string;
let endpoint: string;

beforeAll(async () => {
  browser = await startBrowser();
  cleanUp.add(browser.close);
  shop = await Merchant.open('processor_b');
  owner = await Browser.of(shop, 'owner');
  const url = `http://127.0.0.1:9/${'segment'.repeat(20)}`;
  endpoint = (await till<{ id: string }>('webhooks', 'create', '--account', shop.id, '--url', url)).id;
  held = (await shop.pay({ currency: 'KWD', amount: 99_999_999_990, capture_method: 'manual' })).body.id;
  const { id } = (await shop.pay({ currency: 'KWD', amount: 88_888_888_880 })).body;
  dispute = (await shop.post(`/api/v1/test_helpers/payments/${id}/dispute`, {})).body.id;
});
afterAll(cleanUp.run);

afterEach(async () => {
  for (const opened of pages.splice(0)) {
    expect(opened.faults().policy).toEqual([]);
    await opened.close();
  }
});

async function open(path: string, heading: string | RegExp, view: View = phone): Promise<OpenPage> {
  const { baseUrl } = target();
  const opened = await browser.open(baseUrl, undefined, view);
  pages.push(opened);
  const [name = '', value = ''] = (owner.cookie ?? '').split('=');
  await opened.context.addCookies([{ name, value, url: baseUrl }]);
  await opened.page.goto(`${baseUrl}/dashboard/${shop.id}${path}`);
  await opened.page.getByRole('heading', { level: 1, name: heading }).waitFor();
  return opened;
}

/** Enlarges the text as a browser or a phone does according to its settings. */
const enlargeText = (page: Page) => page.evaluate("document.documentElement.style.fontSize = '200%'");

async function boxOf(what: Locator) {
  const box = await what.boundingBox();
  if (box === null) throw new Error(`${String(what)} is not shown`);
  return { ...box, right: box.x + box.width, bottom: box.y + box.height };
}

/** Whether a click at the middle of the button hits the button and not an element above it. */
async function isOnTop(button: Locator): Promise<boolean> {
  const { x, y, width, height } = await boxOf(button);
  const met = `document.elementFromPoint(${x + width / 2}, ${y + height / 2})?.closest('button')?.textContent`;
  return (await button.page().evaluate<string>(met)) === (await button.textContent());
}

/** Sends a request that no server answers, so that a message stays on the page. */
async function failToSendEvent(page: Page): Promise<void> {
  await page.route('**/dashboard/api/**', (route) =>
    route.request().method() === 'GET' ? route.fallback() : route.abort(),
  );
  await page.getByRole('button', { name: 'Send test event' }).press('Enter');
  await page.getByRole('region', { name: 'Messages' }).getByText('cannot be reached').waitFor();
}

it('a message covers no button of a dialog on a phone, and closing it leaves the dialog as it is', async () => {
  const { page } = await open(`/developers/webhooks/${endpoint}`, /127/);
  await failToSendEvent(page);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Change…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change the endpoint' });
  await dialog.getByLabel('Name').fill('Orders');
  for (const name of ['Cancel', 'Save']) {
    expect(await isOnTop(dialog.getByRole('button', { name })), name).toBe(true);
  }
  const messages = page.getByRole('region', { name: 'Messages', includeHidden: true });
  await messages.getByRole('button', { name: 'Close', includeHidden: true }).click();
  await expect.poll(() => messages.getByText('cannot be reached').count()).toBe(0);
  expect(await dialog.getByLabel('Name').inputValue()).toBe('Orders');
});

it('a message leaves the title of a full-height dialog on a phone uncovered', async () => {
  const { page } = await open(`/developers/webhooks/${endpoint}`, /127/, { width: 390, height: 640 });
  await failToSendEvent(page);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Change…' }).click();
  const title = page.getByRole('dialog').getByRole('heading', { name: 'Change the endpoint' });
  const message = page.getByRole('region', { name: 'Messages', includeHidden: true }).getByRole('group', {
    includeHidden: true,
  });
  await expect.poll(async () => (await boxOf(title)).y >= (await boxOf(message)).bottom).toBe(true);
  const { y, bottom } = await boxOf(page.getByRole('dialog'));
  expect([y >= 0, bottom <= 640]).toEqual([true, true]);
});

it('on a tablet the menu opens at the side of its button', async () => {
  const { page, expectAccessible } = await open('', 'Home', { width: 820, height: 1000 });
  const button = page.getByRole('button', { name: 'Menu', exact: true });
  const { x } = await boxOf(button);
  await button.click();
  const menu = page.getByRole('dialog', { name: 'Menu' });
  await expect.poll(async () => (await boxOf(menu)).x).toBe(0);
  expect(x).toBeLessThan((await boxOf(menu)).right);
  await expectAccessible();
});

it('the same message appears once, and covers no filter or menu that is opened after it', async () => {
  const { page } = await open(`/developers/webhooks/${endpoint}`, /127/);
  await failToSendEvent(page);
  const send = page.getByRole('button', { name: 'Send test event' });
  await send.press('Enter');
  await send.and(page.locator(':not([aria-disabled])')).waitFor();
  expect(await page.getByRole('region', { name: 'Messages' }).getByText('cannot be reached').count()).toBe(1);
  const chip = page.getByRole('button', { name: 'Mode', exact: true });
  const box = await boxOf(chip);
  await page.mouse.wheel(0, box.y - 300);
  await chip.click();
  const filter = page.getByRole('dialog', { name: 'Filter by mode' });
  expect(await isOnTop(filter.getByRole('button', { name: 'Apply' }))).toBe(true);
});

it('a filter with more choices than fit keeps its button in sight', async () => {
  const { page } = await open('/payments', 'Payments', { width: 320, height: 480 });
  await page.getByRole('button', { name: 'Failure', exact: true }).click();
  const filter = page.getByRole('dialog', { name: 'Filter by failure' });
  await filter.getByLabel('Refused').waitFor();
  const { y, bottom } = await boxOf(filter);
  expect([y >= 0, bottom <= 480]).toEqual([true, true]);
  expect(await isOnTop(filter.getByRole('button', { name: 'Apply' }))).toBe(true);
});

it('of an approval every column is readable beside a long reference', async () => {
  const restriction = { permissions: ['refunds:write'], approval_above: 0 };
  const bot = await owner.post(`/accounts/${shop.id}/api_keys`, { name: 'Bot', restriction });
  for (const reference of ['order-1', word + word.slice(0, 39)]) {
    const { id } = (await shop.pay({ reference })).body;
    await shop.post(
      `/api/v1/payments/${id}/refunds`,
      { note: 'The cup was broken' },
      {
        key: bot.body.secret_key,
      },
    );
  }
  const { page } = await open('/approvals', 'Waiting for approval', { width: 1280, height: 800 });
  const why = page.getByRole('cell', { name: 'The cup was broken' });
  await expect.poll(() => why.count()).toBe(2);
  expect((await boxOf(why.first())).width).toBeGreaterThan(110);
  const reference = await boxOf(page.getByRole('link', { name: word }));
  const by = await boxOf(page.getByRole('cell', { name: 'Bot' }).first());
  expect(reference.right).toBeLessThanOrEqual(by.x);
});

it('the home page fits whatever the address of an endpoint', async () => {
  await shop.pay({ amount: 100 });
  const attempted = async () => {
    const query = 'range=7&time_zone=UTC&currency=EUR';
    const { body } = await owner.get(`/accounts/${shop.id}/charts?${query}`);
    return body.webhooks.endpoints.some(
      ({ first_attempts: tried }: { first_attempts: number[] }) => Math.max(...tried) > 0,
    );
  };
  await until('an event was sent', attempted);
  const { page, sidewaysScroll } = await open('', 'Home');
  await page.getByText('127.0.0.1:9/segment').first().waitFor();
  await page.getByRole('img', { name: /arrived at the first attempt/ }).waitFor();
  expect(await sidewaysScroll()).toBe(0);
});

it('a long word in the title of a dialog or in what it says breaks', async () => {
  await owner.post(`/accounts/${shop.id}/api_keys`, { name: word });
  const { page } = await open('/developers/keys', 'API keys');
  await page.getByRole('button', { name: `Revoke the key ${word}` }).click();
  await page.getByRole('dialog').getByRole('heading', { name: word }).waitFor();
  const beyond = await page.evaluate<number>(`(() => {
    const title = document.querySelector('[role=dialog] h2');
    return title.scrollWidth - title.clientWidth;
  })()`);
  expect(beyond).toBe(0);
});

it('with text at 200 % the buttons of a dialog and of a menu stay inside', async () => {
  const { page } = await open(`/payments/${held}`, /KWD/, { width: 390, height: 800 });
  await enlargeText(page);
  await page.getByRole('button', { name: 'Void' }).click();
  const dialog = page.getByRole('dialog', { name: 'Void payment' });
  const frame = await boxOf(dialog);
  const button = await boxOf(dialog.getByRole('button', { name: /^Void KWD/ }));
  expect([button.x > frame.x, button.right < frame.right]).toEqual([true, true]);
  await page.keyboard.press('Escape');
  await page.goto(`${target().baseUrl}/dashboard/${shop.id}/payments`);
  await page.getByRole('button', { name: 'Views' }).waitFor();
  await enlargeText(page);
  await page.getByRole('button', { name: 'Views' }).click();
  const menu = await boxOf(page.getByRole('menu'));
  expect([menu.x >= 0, menu.right <= 390]).toEqual([true, true]);
});

it.each([
  ['payments', () => held],
  ['disputes', () => dispute],
])('the amount in the heading of one of the %s stays inside when the text is enlarged', async (list, id) => {
  const { page, sidewaysScroll } = await open(`/${list}/${id()}`, /KWD/, { width: 390, height: 800 });
  await enlargeText(page);
  expect(await sidewaysScroll()).toBe(0);
  const heading = page.getByRole('heading', { level: 1 });
  expect((await boxOf(heading.locator('bdi'))).right).toBeLessThanOrEqual((await boxOf(heading)).right);
});

it('with text at 200 % a list scrolls nothing sideways, and an amount and its date do not overlap', async () => {
  const { page, sidewaysScroll } = await open('/payments', 'Payments', { width: 390, height: 800 });
  await page.getByRole('link', { name: 'KWD 99,999,999.990' }).waitFor();
  await enlargeText(page);
  expect(await sidewaysScroll()).toBe(0);
  const amount = await boxOf(page.getByRole('link', { name: 'KWD 99,999,999.990' }).locator('bdi'));
  const date = await boxOf(page.locator('li').filter({ hasText: 'KWD 99,999,999.990' }).locator('time'));
  expect(date.y >= amount.bottom || date.x >= amount.right).toBe(true);
});

it('the type of an event is broken only where it does not fit by itself', async () => {
  const { page } = await open('/developers/events', 'Events');
  const type = page.getByRole('button', { name: 'payment.authorized' }).first();
  await type.waitFor();
  const { height } = await boxOf(type.locator('code'));
  expect(height).toBeLessThan(25);
});
