import { beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../support/dashboard.ts';
import { openPaymentsShop } from './payments-shop.ts';

/** The maximum refund of a role, set by owners and applied to support staff. */
const place = openPaymentsShop();

let owner: Browser;
beforeAll(async () => {
  owner = await Browser.of(place().shop, 'owner');
});

/** Sets the limit in euros, or none, and the rule for other currencies. */
async function limit(euros: number | null, others = 'unlimited'): Promise<void> {
  const path = `/accounts/${place().shop.id}/settings/refund_limits`;
  const limits = [{ currency: 'EUR', amount: euros }];
  const reply = await owner.call('PATCH', path, {
    body: { role: 'support', limits, other_currencies: others },
  });
  expect(reply.status, reply.text).toBe(200);
}

describe('refund limits', () => {
  it.each([{}, { width: 320, height: 700 }])('are set by keyboard, at %j', async (view) => {
    await limit(null);
    const opened = await place().open('/settings/payments', owner, view);
    const { page } = opened;
    const card = page.getByRole('region', { name: 'Refund limits' });
    await card.getByText('No limit.').first().waitFor();
    await card.getByText('Refunds by API key are not limited').waitFor();
    const change = card.getByRole('button', { name: 'Change limits of Support' });
    await change.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Refund limits of Support' });
    await dialog.getByText('No currency has a limit of its own.').waitFor();
    await opened.expectAccessible();
    const add = dialog.getByRole('button', { name: 'Add a currency' });
    await add.press('Enter');
    const row = (number: number) => dialog.getByRole('group', { name: `Limit ${number}` });
    await opened.until(`document.activeElement?.closest('fieldset')?.textContent.includes('Limit 1')`);
    await page.keyboard.press('Enter');
    await row(1).getByText('Enter a code, like EUR.').waitFor();
    await row(1).getByText('Enter an amount, like 100.00.').waitFor();
    await opened.expectAccessible();
    await row(1).getByLabel('Currency').fill('eur');
    await row(1).getByLabel('Largest refund').fill('20,00');
    await add.press('Enter');
    await row(2).getByLabel('Currency').fill('EUR');
    await row(2).getByText('EUR has a limit already.').waitFor();
    await row(2).getByLabel('Currency').fill('XXX');
    await row(2).getByLabel('Largest refund').fill('5');
    await page.keyboard.press('Enter');
    await row(2).getByText('must be an active ISO 4217 code').waitFor();
    await dialog.getByRole('button', { name: 'Remove limit 2' }).press('Enter');
    await opened.untilFocusOn('Add a currency');
    await dialog.getByLabel('Not allowed').check();
    await dialog.getByRole('button', { name: 'Save limits' }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await card.getByText('At most €20.00; no refunds in other currencies.').waitFor();
    await opened.until(`document.activeElement?.textContent?.includes('Change limits')`);
    await opened.expectAccessible();
  });

  it('keep what a colleague changed while the dialog was open', async () => {
    await limit(2000);
    const { page } = await place().open('/settings/payments', owner);
    await page.getByRole('button', { name: 'Change limits of Support' }).click();
    const dialog = page.getByRole('dialog', { name: 'Refund limits of Support' });
    await dialog.getByRole('button', { name: 'Add a currency' }).click();
    const row = dialog.getByRole('group', { name: 'Limit 2' });
    await row.getByLabel('Currency').fill('JPY');
    await row.getByLabel('Largest refund').fill('100');
    await limit(3000);
    await dialog.getByRole('button', { name: 'Save limits' }).click();
    await dialog.waitFor({ state: 'detached' });
    const path = `/accounts/${place().shop.id}/settings/refund_limits`;
    expect((await owner.get(path)).body.data[0].limits).toEqual([
      { currency: 'EUR', amount: 3000 },
      { currency: 'JPY', amount: 100 },
    ]);
    const limits = [{ currency: 'JPY', amount: null }];
    expect((await owner.call('PATCH', path, { body: { role: 'support', limits } })).status).toBe(200);
  });

  it('are shown in the dialog beforehand and enforced by the server', async () => {
    await limit(2000);
    const opened = await place().open(`/payments/${place().ids.rich}`);
    const { page } = opened;
    await page.getByRole('button', { name: 'Refund', exact: true }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Refund payment' });
    await dialog.getByText('Your role (support) may refund at most €20.00 at once.').waitFor();
    expect(await dialog.getByText('All that is left').count()).toBe(0);
    await opened.expectAccessible();
    const amount = dialog.getByLabel('Amount in EUR');
    await amount.fill('20.01');
    await amount.press('Enter');
    await dialog.getByText('Your role may refund at most 20.00 EUR at once.').waitFor();
    // The page does not know the new limit until its own refund is refused.
    const detail = `**/dashboard/api/accounts/*/payments/${place().ids.rich}`;
    await page.route(detail, () => {});
    await limit(1000);
    await amount.fill('15');
    await amount.press('Enter');
    await dialog.getByText('amount must be at most 10.00 EUR').waitFor();
    await page.unroute(detail);
    await opened.expectAccessible();
    await amount.fill('9.99');
    await dialog.getByRole('button', { name: 'Refund €9.99' }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Partly refunded').waitFor();
  });

  it('disable the button in a currency that the role may not refund, on a phone', async () => {
    await limit(2000, 'refused');
    const opened = await place().open(`/payments/${place().ids.yen}`, place().support, { width: 320 });
    const { page } = opened;
    const refund = page.getByRole('button', { name: 'Refund', exact: true });
    await refund.waitFor();
    expect(await refund.getAttribute('aria-disabled')).toBe('true');
    await page
      .getByText('Your role here, support, may not refund in JPY.')
      .first()
      .waitFor({ state: 'attached' });
    await opened.expectAccessible();
  });

  it('are read-only for the roles that they apply to', async () => {
    const opened = await place().open('/settings/payments', place().support);
    const change = opened.page.getByRole('button', { name: 'Change limits of Support' });
    await change.waitFor();
    expect(await change.getAttribute('aria-disabled')).toBe('true');
    await opened.expectAccessible();
  });
});
