import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { Browser } from '../support/dashboard.ts';
import { target, till } from '../support/merchant.ts';
import { holdBack } from './hold-back.ts';
import { openPaymentsShop } from './payments-shop.ts';

/** Responses that arrive after a refetch, or the person, has removed the button of their request. */
const place = openPaymentsShop();

const messages = (page: Page) => page.getByRole('region', { name: 'Messages', includeHidden: true });

/** Opens a page whose clock the test advances. */
async function openWithClock(path: string, staff?: Browser) {
  const opened = await place().open('', staff);
  await opened.page.clock.install();
  await opened.page.goto(`${target().baseUrl}/dashboard/${place().shop.id}${path}`);
  return opened;
}

/** Executes a request at once, but delivers its response only when an element is gone. */
async function answerWithout(what: Locator, address: string, how: 'deliver' | 'lose' = 'deliver') {
  await what.page().route(address, async (route) => {
    if (route.request().method() === 'GET') return route.fallback();
    const response = await route.fetch();
    await what.waitFor({ state: 'detached' });
    return how === 'lose' ? route.abort() : route.fulfill({ response });
  });
}

/** A payment with a failed refund, whose page polls because another refund is pending. */
async function payWithFailedRefund(reference: string) {
  const { shop } = place();
  const { id } = (await shop.pay({ reference })).body;
  const refund = (note: string) => shop.post(`/api/v1/payments/${id}/refunds`, { amount: 1000, note });
  await refund('SIM-REFUND-PENDING');
  await refund('SIM-REFUND-FAIL-SYNC');
  return { id };
}

it('the outcome is shown though a refetch has removed the row', async () => {
  await payWithFailedRefund('gone-row');
  const opened = await openWithClock('/sandbox?play=refunds', await Browser.of(place().shop, 'owner'));
  const { page } = opened;
  const settle = page.getByRole('button', { name: 'Pay out' });
  await answerWithout(settle, '**/sandbox/**/settle*');
  await settle.click();
  await opened.fastForwardUntil(messages(page).getByText('The refund succeeded'));
});

it('a failure is shown though a refetch has removed the notice of a failed refund', async () => {
  const { id } = await payWithFailedRefund('gone-notice');
  const opened = await openWithClock(`/payments/${id}`);
  const { page } = opened;
  const notice = page.getByRole('heading', { name: 'The refund of €10.00 failed' });
  await answerWithout(notice, '**/refunds/*/acknowledge', 'lose');
  await page.getByRole('button', { name: 'Mark as dealt with' }).click();
  await opened.fastForwardUntil(messages(page).getByText('The server cannot be reached'));
});

it('a failed refund that is refunded again, with a lost response, can be retried though its notice is gone', async () => {
  const { id } = await payWithFailedRefund('refunded-again');
  const { page } = await place().open(`/payments/${id}`);
  await page.getByRole('button', { name: 'Refund again' }).click();
  const dialog = page.getByRole('dialog', { name: 'Refund payment' });
  await dialog.getByRole('radio', { name: 'A part of it' }).press('Space');
  await dialog.getByLabel('Amount in EUR').fill('10');
  await page.route(
    '**/payments/*/refunds',
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );
  const send = dialog.getByRole('button', { name: 'Refund €10.00' });
  await send.click();
  // The page has loaded the new refund, which replaces the failed one.
  await page.getByText('The refund of €10.00 failed').waitFor({ state: 'detached' });
  await dialog.getByText('Trying again here is safe').waitFor();
  await send.click();
  await messages(page).getByText('Refund of €10.00 is on its way').waitFor();
  await dialog.waitFor({ state: 'detached' });
  expect((await place().shop.get(`/api/v1/payments/${id}/refunds`)).body.data).toHaveLength(3);
});

it('holds that are captured after their dialog was closed are counted in a message', async () => {
  await place().shop.pay({ capture_method: 'manual', reference: 'closed-captures' });
  const { page } = await place().open('/payments?status=authorized&search=closed-captures');
  await page.getByRole('checkbox', { name: /closed-captures/ }).check();
  await page.getByRole('button', { name: 'Capture 1…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Capture holds' });
  const release = await holdBack(page, '**/payments/*/capture');
  await dialog.getByRole('button', { name: 'Capture €49.90' }).click();
  await dialog.getByText('Capturing…').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  release();
  await messages(page).getByText('1 hold captured').waitFor();
});

it('a person who has left the page of an endpoint stays where they are when it is deleted', async () => {
  const url = 'https://shop.example/left';
  const { id } = await till<{ id: string }>('webhooks', 'create', '--account', place().shop.id, '--url', url);
  const owner = await Browser.of(place().shop, 'owner');
  const { page } = await place().open(`/developers/webhooks/${id}`, owner);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete this endpoint?' });
  let release = () => {};
  await page.route(`**/webhook_endpoints/${id}`, (route) => {
    if (route.request().method() === 'GET') return route.fallback();
    release = () => void route.continue();
    return undefined;
  });
  await dialog.getByRole('button', { name: 'Delete endpoint' }).click();
  await dialog.locator('[aria-disabled="true"]').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Payments', exact: true }).click();
  await page.getByRole('heading', { name: 'Payments', level: 1 }).waitFor();
  release();
  await messages(page).getByText('The endpoint was deleted').waitFor();
  expect(page.url()).toMatch(/\/payments$/);
});
