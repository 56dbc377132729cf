import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { Browser } from '../support/dashboard.ts';
import { freshEmail, Merchant, target, till } from '../support/merchant.ts';
import { holdBack } from './hold-back.ts';
import { openPaymentsShop } from './payments-shop.ts';

/** Requests of people whose responses are lost, late or refused. */
const place = openPaymentsShop();

const refundsOf = async (payment: string) =>
  (await place().shop.get(`/api/v1/payments/${payment}/refunds`)).body.data as { readonly amount: number }[];

describe('a refund', () => {
  it('of all that is left, whose answer was lost, is asked for as it was', async () => {
    const { id } = (await place().shop.pay({ reference: 'lost-answer' })).body;
    const opened = await place().open(`/payments/${id}`);
    const { page } = opened;
    await page.getByRole('button', { name: 'Refund', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Refund payment' });
    await page.route(
      '**/payments/*/refunds',
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await dialog.getByRole('button', { name: 'Refund €49.90' }).click();
    await dialog.getByText('Trying again here is safe').waitFor();
    // The page shows the refund by now.
    await page.locator('h1').getByText('Refunded').waitFor();
    await dialog.getByRole('button', { name: 'Refund €49.90' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await refundsOf(id)).toHaveLength(1);
  });

  it('that is under way is not asked for a second time by closing the dialog', async () => {
    const { id } = (await place().shop.pay({ reference: 'closed-dialog' })).body;
    const opened = await place().open(`/payments/${id}`);
    const { page } = opened;
    const refund = page.getByRole('button', { name: 'Refund', exact: true });
    await refund.click();
    const dialog = page.getByRole('dialog', { name: 'Refund payment' });
    const release = await holdBack(page, '**/payments/*/refunds');
    const ask = async () => {
      await dialog.getByRole('radio', { name: 'A part of it' }).press('Space');
      await dialog.getByLabel('Amount in EUR').fill('10');
      await dialog.getByRole('button', { name: 'Refund €10.00' }).click();
    };
    await ask();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await refund.click();
    await dialog.waitFor();
    // The dialog shows the refund that is in flight.
    const button = dialog.getByRole('button', { name: 'Refund €10.00' });
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    release();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Refund of €10.00 completed').first().waitFor();
    expect(await refundsOf(id)).toMatchObject([{ amount: 1000 }]);

    // A further refund of the same amount is a new request.
    await refund.click();
    await ask();
    await dialog.waitFor({ state: 'detached' });
    expect(await refundsOf(id)).toMatchObject([{ amount: 1000 }, { amount: 1000 }]);
  });
});

describe('a dialog that is closed while its request is under way', () => {
  it('and opened again makes one payment link', async () => {
    const shop = await Merchant.open();
    const owner = await Browser.of(shop, 'owner');
    const opened = await place().open('', owner);
    const { page } = opened;
    await page.goto(`${target().baseUrl}/dashboard/${shop.id}/payment-links`);
    const create = page.getByRole('button', { name: 'Create link' }).first();
    await create.click();
    const dialog = page.getByRole('dialog', { name: 'Create a payment link' });
    const release = await holdBack(page, '**/payment_links');
    await dialog.getByLabel('What is paid for').fill('Coffee');
    await dialog.getByRole('textbox', { name: 'Amount' }).fill('4.90');
    await page.keyboard.press('Enter');
    await dialog.locator('[aria-disabled="true"]').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await create.click();
    // The dialog shows the link that is in flight.
    expect(await dialog.getByLabel('What is paid for').inputValue()).toBe('Coffee');
    await dialog.getByRole('textbox', { name: 'Amount' }).press('Enter');
    release();
    await page.getByRole('heading', { level: 1, name: 'Coffee' }).waitFor();
    const links = (await owner.get(`/accounts/${shop.id}/payment_links`)).body;
    expect(links).toMatchObject({ total_count: 1 });
  });

  /** Sends an invitation and closes the dialog before the response, which `meanwhile` holds back. */
  const invite = async (meanwhile: (page: Page) => Promise<unknown>) => {
    const shop = await Merchant.open();
    const { page } = await place().open('', await Browser.of(shop, 'owner'));
    await page.goto(`${target().baseUrl}/dashboard/${shop.id}/settings/team`);
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Invite somebody' });
    await meanwhile(page);
    await dialog.getByLabel('E-mail address').fill(freshEmail());
    await page.keyboard.press('Enter');
    await dialog.locator('[aria-disabled="true"]').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    return page;
  };

  it('still shows the link of an invitation', async () => {
    let release = () => {};
    const page = await invite(async (at) => {
      release = await holdBack(at, '**/team/invitations');
    });
    release();
    await page.getByRole('dialog', { name: 'Invitation made' }).waitFor();
  });

  it('says that an invitation failed', async () => {
    let fail = () => {};
    const page = await invite((at) =>
      at.route('**/team/invitations', (route) => {
        fail = () => void route.abort();
      }),
    );
    fail();
    await page.getByRole('region', { name: 'Messages' }).getByText('cannot be reached').waitFor();
  });
});

it('an error of a dialog that was closed is gone when it is opened again', async () => {
  const owner = await Browser.of(place().shop, 'owner');
  await owner.post(`/accounts/${place().shop.id}/team/invitations`, { email: freshEmail(), role: 'viewer' });
  const opened = await place().open('/settings/team', owner);
  const { page } = opened;
  await page.route('**/invitations/**', (route) => route.abort(), { times: 1 });
  const withdraw = page.getByRole('button', { name: /^Withdraw/ });
  await withdraw.click();
  const dialog = page.getByRole('dialog', { name: 'Withdraw this invitation?' });
  await dialog.getByRole('button', { name: 'Withdraw invitation' }).click();
  const error = dialog.getByText('The server cannot be reached');
  await error.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await withdraw.click();
  await dialog.waitFor();
  expect(await error.count()).toBe(0);
});

it('so is the error of a form', async () => {
  const owner = await Browser.of(place().shop, 'owner');
  const url = 'https://shop.example/hooks';
  const { id } = await till<{ id: string }>('webhooks', 'create', '--account', place().shop.id, '--url', url);
  const opened = await place().open(`/developers/webhooks/${id}`, owner);
  const { page } = opened;
  await page.route(`**/webhook_endpoints/${id}`, (route) =>
    route.request().method() === 'GET' ? route.continue() : route.abort(),
  );
  const choose = async () => {
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Change…' }).click();
  };
  await choose();
  const dialog = page.getByRole('dialog', { name: 'Change the endpoint' });
  await dialog.getByLabel('Name').fill('Shop');
  await dialog.getByRole('button', { name: 'Save' }).click();
  const error = dialog.getByText('The server cannot be reached');
  await error.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await choose();
  await dialog.waitFor();
  expect(await error.count()).toBe(0);
});

it('an approved refund is on the page of its payment at once', async () => {
  const { shop } = place();
  const owner = await Browser.of(shop, 'owner');
  const { body: payment } = await shop.pay({ reference: 'looked-at-before' });
  const account = `/accounts/${shop.id}`;
  const limits = await owner.call('PATCH', `${account}/settings/role_approvals`, {
    body: { admin: null, support: 0, developer: null },
  });
  expect(limits.status, limits.text).toBe(200);
  const asked = await place().support.post(
    `${account}/payments/${payment.id}/refunds`,
    { amount: 4990 },
    { idempotencyKey: freshEmail() },
  );
  expect(asked.status, asked.text).toBe(202);
  const opened = await place().open('/approvals', owner);
  const { page } = opened;
  // The page of the payment is opened before the decision.
  await page.getByRole('link', { name: 'looked-at-before' }).click();
  await page.locator('h1').getByText('Succeeded').waitFor();
  await page.goBack();
  await page.getByRole('button', { name: /^Approve/ }).click();
  await page.getByRole('button', { name: 'Approve refund' }).click();
  await page.getByText('The refund was approved').first().waitFor();
  await page.getByLabel('All', { exact: true }).check({ force: true });
  await page.getByRole('link', { name: 'looked-at-before' }).click();
  await page.locator('h1').getByText('Refunded').waitFor();
});

it('after the switch to live no page begins with what the sandbox had', async () => {
  const shop = await Merchant.open('processor_b');
  await till('accounts', 'update', shop.id, '--activation', 'active');
  await shop.pay({ reference: 'only-in-the-sandbox' });
  const opened = await place().open('', await Browser.of(shop, 'owner'));
  const { page } = opened;
  await page.goto(`${target().baseUrl}/dashboard/${shop.id}/payments`);
  const sandboxed = page.getByText('only-in-the-sandbox').first();
  await sandboxed.waitFor();
  await page.getByRole('link', { name: 'Settings' }).first().click();
  await page.getByRole('link', { name: 'Environment' }).first().click();
  await page.getByRole('button', { name: 'Switch to live…' }).click();
  await page.getByLabel('Type Test shop to go on').fill('Test shop');
  await page.keyboard.press('Enter');
  await page.getByRole('complementary', { name: 'Sandbox' }).waitFor({ state: 'detached' });
  const release = await holdBack(page, '**/payments?**');
  await page.getByRole('link', { name: 'Payments', exact: true }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Payments' }).waitFor();
  await page.getByRole('table', { name: 'Payments' }).waitFor();
  expect(await sandboxed.count()).toBe(0);
  release();
  await page.getByText('No payments yet').waitFor();
});

it('saving the time zone keeps the name that somebody else has given the account meanwhile', async () => {
  const shop = await Merchant.open();
  const owner = await Browser.of(shop, 'owner');
  const opened = await place().open('', owner);
  const { page } = opened;
  await page.goto(`${target().baseUrl}/dashboard/${shop.id}/settings/business`);
  await page.getByRole('combobox', { name: 'Time zone' }).selectOption('Europe/Berlin');
  await owner.call('PATCH', `/accounts/${shop.id}/settings/business`, { body: { name: 'New name' } });
  await page.getByRole('button', { name: 'Save time zone' }).click();
  await page.getByText('Time zone saved').first().waitFor();
  const settings = (await owner.get(`/accounts/${shop.id}/settings`)).body;
  expect(settings).toMatchObject({ name: 'New name', time_zone: 'Europe/Berlin' });
});

it('saving a colour keeps the shop name that somebody else has given meanwhile', async () => {
  const shop = await Merchant.open();
  const owner = await Browser.of(shop, 'owner');
  const path = `/accounts/${shop.id}/settings/branding`;
  const rename = (name: string) => owner.call('PATCH', path, { body: { display_name: name } });
  await rename('Before');
  const { page } = await place().open('', owner);
  await page.goto(`${target().baseUrl}/dashboard/${shop.id}/settings/branding`);
  await page.getByLabel('Colour (optional)').fill('#0b57d0');
  expect((await rename('After')).status).toBe(200);
  await page.getByRole('button', { name: 'Save branding' }).click();
  await page.getByText('Branding saved').first().waitFor();
  expect((await owner.get(path)).body).toMatchObject({ display_name: 'After', colour: '#0b57d0' });
});

it('amounts that were typed stay when a colleague saves the same card, with a note about it', async () => {
  const shop = await Merchant.open();
  const owner = await Browser.of(shop, 'owner');
  const opened = await place().open('', owner);
  const { page } = opened;
  await page.clock.install();
  await page.goto(`${target().baseUrl}/dashboard/${shop.id}/settings/payments`);
  const amount = (role: string) => page.getByLabel(`${role}: wait above`);
  await amount('Support').fill('700');
  const account = `/accounts/${shop.id}/settings`;
  await owner.call('PATCH', `${account}/role_approvals`, {
    body: { admin: 900, support: 500, developer: null },
  });
  // Simulates that the person returns to the page after its data is no longer considered fresh.
  await page.clock.fastForward(11_000);
  await page.evaluate('window.dispatchEvent(new Event("visibilitychange"))');
  await page.getByText('Changed meanwhile: Support').waitFor();
  expect(await amount('Support').inputValue()).toBe('700');
  expect(await amount('Admin').inputValue()).toBe('900');
  expect(await opened.violations()).toEqual([]);
  await page.getByRole('button', { name: 'Save amounts' }).click();
  await page.getByText('Approval by role changed').first().waitFor();
  await page.getByText('Changed meanwhile').waitFor({ state: 'detached' });
  expect((await owner.get(`${account}/role_approvals`)).body).toMatchObject({ admin: 900, support: 700 });
});

it.each([
  ['payments', 'before=x'],
  ['payments', 'from=2026-13-45'],
  ['developers/events', 'from=x'],
])('the page %s shows an address with %s', async (path, query) => {
  const { page } = await place().open(`/${path}?${query}`);
  await page.getByRole('button', { name: 'Clear filters' }).first().click();
  await page.getByRole('table').getByRole('row').nth(1).waitFor();
});
