import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { Browser } from '../support/dashboard.ts';
import { freshEmail, Merchant, target } from '../support/merchant.ts';
import { holdBack } from './hold-back.ts';
import { openPaymentsShop } from './payments-shop.ts';

/** Dialogs that are closed and opened again while their first request is in flight. */
const place = openPaymentsShop();

const messages = (page: Page) => page.getByRole('region', { name: 'Messages', includeHidden: true });

/** Opens a page of a new account as its owner. */
async function openAsOwner(path: string) {
  const shop = await Merchant.open();
  const owner = await Browser.of(shop, 'owner');
  const { page } = await place().open('', owner);
  await page.goto(`${target().baseUrl}/dashboard/${shop.id}${path}`);
  return { page, shop, owner };
}

it('the confirmation of a change leaves a later opening as it is, and is still reported', async () => {
  const { page } = await openAsOwner('/settings/connection');
  const disconnect = page.getByRole('button', { name: 'Disconnect', exact: true }).first();
  await disconnect.click();
  const dialog = page.getByRole('dialog', { name: /^Disconnect/ });
  const release = await holdBack(page, '**/settings/connection');
  await dialog.getByRole('textbox').fill('Test shop');
  await page.keyboard.press('Enter');
  await dialog.locator('[aria-disabled="true"]').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await disconnect.click();
  await dialog.getByRole('textbox').fill('Test');
  release();
  await messages(page).getByText('Disconnected').waitFor();
  expect(await dialog.getByRole('textbox').inputValue()).toBe('Test');
});

it('the secret of a key is shown over a later opening, whose text stays', async () => {
  const { page } = await openAsOwner('/developers/keys');
  const create = page.getByRole('button', { name: 'Create key' }).first();
  await create.click();
  const dialog = page.getByRole('dialog', { name: 'Create an API key' });
  const release = await holdBack(page, '**/api_keys');
  await dialog.getByLabel('Name').fill('First');
  await page.keyboard.press('Enter');
  await dialog.locator('[aria-disabled="true"]').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await create.click();
  await dialog.getByLabel('Name').fill('Second');
  release();
  const secret = page.getByRole('dialog', { name: 'The key First' });
  await secret.waitFor();
  await secret.getByRole('button', { name: 'I have saved it' }).click();
  await secret.waitFor({ state: 'detached' });
  expect(await dialog.getByLabel('Name').inputValue()).toBe('Second');
});

it('a mail that was sent meanwhile leaves the next address in its dialog', async () => {
  const { page, shop } = await openAsOwner('');
  const { id } = (await shop.post('/api/v1/payment_links', { title: 'Tea', amount: 490, currency: 'EUR' }))
    .body;
  await page.goto(`${target().baseUrl}/dashboard/${shop.id}/payment-links/${id}`);
  const send = page.getByRole('button', { name: 'Send by mail' });
  await send.click();
  const dialog = page.getByRole('dialog', { name: 'Send the link by mail' });
  const release = await holdBack(page, '**/payment_links/*/mail');
  await dialog.getByLabel('E-mail address').fill(freshEmail());
  await page.keyboard.press('Enter');
  await dialog.locator('[aria-disabled="true"]').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await send.click();
  await dialog.getByLabel('E-mail address').fill('second@shop.example');
  release();
  await messages(page).getByText('The mail is on its way').waitFor();
  expect(await dialog.getByLabel('E-mail address').inputValue()).toBe('second@shop.example');
});

it('a form that was closed reports that its change failed, or that it succeeded', async () => {
  const { page, shop } = await openAsOwner('');
  const { id } = (await shop.post('/api/v1/payment_links', { title: 'Tea', amount: 490, currency: 'EUR' }))
    .body;
  await page.goto(`${target().baseUrl}/dashboard/${shop.id}/payment-links/${id}`);
  const dialog = page.getByRole('dialog', { name: 'Edit the payment link' });
  const rename = async (title: string) => {
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await dialog.getByLabel('What is paid for').fill(title);
    await page.keyboard.press('Enter');
    await dialog.locator('[aria-disabled="true"]').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  };
  let answer: (how: 'abort' | 'continue') => void = () => {};
  await page.route(`**/payment_links/${id}`, async (route) => {
    if (route.request().method() === 'GET') await route.fallback();
    else answer = (how) => void route[how]();
  });
  await rename('Coffee');
  answer('abort');
  await messages(page).getByText('cannot be reached').waitFor();
  await rename('Cocoa');
  answer('continue');
  await messages(page).getByText('The payment link was changed').waitFor();
  await page.getByRole('heading', { level: 1, name: 'Cocoa' }).waitFor();
});

it('the answer to one approval leaves the dialog of the next one as it is', async () => {
  const shop = await Merchant.open('processor_b');
  const owner = await Browser.of(shop, 'owner');
  const support = await Browser.of(shop, 'support');
  const account = `/accounts/${shop.id}`;
  await owner.call('PATCH', `${account}/settings/role_approvals`, {
    body: { admin: null, support: 0, developer: null },
  });
  for (const reference of ['first', 'second']) {
    const { id } = (await shop.pay({ reference })).body;
    const refund = { amount: 4990 };
    const asked = await support.post(`${account}/payments/${id}/refunds`, refund, {
      idempotencyKey: freshEmail(),
    });
    expect(asked.status, asked.text).toBe(202);
  }
  const { page } = await place().open('', owner);
  await page.goto(`${target().baseUrl}/dashboard/${shop.id}/approvals`);
  const approve = page.getByRole('button', { name: /^Approve/ });
  await approve.nth(1).waitFor();
  const release = await holdBack(page, '**/approvals/*/approve');
  await approve.first().click();
  const dialog = page.getByRole('dialog', { name: 'Approve this refund?' });
  await dialog.getByRole('button', { name: 'Approve refund' }).click();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await approve.nth(1).click();
  await dialog.getByLabel('Reason').fill('Second');
  release();
  await messages(page).getByText('The refund was approved').waitFor();
  expect(await dialog.getByLabel('Reason').inputValue()).toBe('Second');
  await dialog.getByRole('button', { name: 'Approve refund' }).click();
  await dialog.waitFor({ state: 'detached' });
});
