import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openPaymentsShop } from './payments-shop.ts';

/** What somebody meant to do, where answers are lost, late or refused. */
const place = openPaymentsShop();

const refundsOf = async (payment: string) =>
  (await place().shop.get(`/api/v1/payments/${payment}/refunds`)).body.data as { readonly amount: number }[];

/** Holds requests back, as a slow processor does. @returns lets them go on */
async function holdBack(page: Page, address: string): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(address, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

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
    // The page knows of the refund by now.
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
      await dialog.getByRole('radio', { name: 'A part of it' }).check({ force: true });
      await dialog.getByLabel('Amount in EUR').fill('10');
      await dialog.getByRole('button', { name: 'Refund €10.00' }).click();
    };
    await ask();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await refund.click();
    await dialog.waitFor();
    expect(await dialog.getByRole('button', { name: /^Refund / }).getAttribute('aria-disabled')).toBe('true');
    release();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Refund of €10.00 completed').first().waitFor();
    expect(await refundsOf(id)).toMatchObject([{ amount: 1000 }]);

    // Another one of the same amount is another intention.
    await refund.click();
    await ask();
    await dialog.waitFor({ state: 'detached' });
    expect(await refundsOf(id)).toMatchObject([{ amount: 1000 }, { amount: 1000 }]);
  });
});
