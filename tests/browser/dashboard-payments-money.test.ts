import { describe, expect, it } from 'vitest';
import { target } from '../support/merchant.ts';
import { until } from '../support/until.ts';
import { openPaymentsShop, payload, queryOf, rowsOf } from './payments-shop.ts';

/** One payment, its refunds and customers, as finance and support staff see them in the browser. */
const place = openPaymentsShop();

describe('one payment', () => {
  it('is partially refunded once, by keyboard, and shows the refund', async () => {
    const opened = await place().open(`/payments/${place().ids.rich}`);
    const { page } = opened;
    const trigger = page.getByRole('button', { name: 'Refund', exact: true });
    await trigger.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Refund payment' });
    await dialog.getByRole('button', { name: 'Refund €49.90' }).waitFor();
    await dialog.getByRole('radio', { name: 'A part of it' }).press('Space');
    const amount = dialog.getByLabel('Amount in EUR');
    for (const [typed, fault] of [
      ['', 'Enter an amount, like 49.90.'],
      ['49.901', 'Enter an amount, like 49.90.'],
      ['0', 'Enter more than zero.'],
      ['49.91', 'At most 49.90 EUR is left to refund.'],
    ] as const) {
      await amount.fill(typed);
      await amount.press('Enter');
      await dialog.getByText(fault).waitFor();
    }
    await amount.fill('19,90');
    await dialog.getByLabel('Reason').selectOption('duplicate');
    await dialog.getByLabel('Note').fill(payload);
    await opened.expectAccessible();
    await dialog.getByRole('button', { name: 'Refund €19.90' }).dblclick();
    await dialog.waitFor({ state: 'detached' });
    await opened.untilFocusOn('Refund');
    await page.getByText('Refund of €19.90 completed').waitFor();
    await page.getByText('Partly refunded').waitFor();
    const { refunds } = await place().shop.ledger();
    expect(refunds.filter(({ payment_reference: of }) => of === place().ids.rich)).toHaveLength(1);
    await page.getByRole('button', { name: 'Show JSON' }).press('Enter');
    await opened.expectAccessible();
  });

  it('is captured without typing its amount again', async () => {
    const opened = await place().open(`/payments/${place().ids.held}`);
    const { page } = opened;
    await page.getByText('Guaranteed until').waitFor();
    await page.getByRole('button', { name: 'Capture', exact: true }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Capture payment' });
    await opened.expectAccessible();
    await dialog.getByRole('button', { name: 'Capture €49.90' }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.locator('h1').getByText('Succeeded').waitFor();
  });

  it('whose capture was declined says so, by whom, and that the hold is gone', async () => {
    const card = { holder_name: 'SIM-HOLD-GUARANTEE-PASSED' };
    const { body } = await place().shop.pay({ capture_method: 'manual', card });
    const opened = await place().open(`/payments/${body.id}`);
    const { page } = opened;
    await page.getByRole('button', { name: 'Capture', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Capture payment' });
    await dialog.getByRole('button', { name: 'Capture €49.90' }).click();
    await page.getByText('The capture was declined: no money was taken').waitFor();
    await page.getByText(/The hold is gone with it.*Captured by .*@/).waitFor();
    await page.getByText('Could be captured until').waitFor();
    await opened.expectAccessible();
  });

  it('is captured with others, chosen in the list', async () => {
    const { shop } = place();
    for (const reference of ['bulk-1', 'bulk-2']) await shop.pay({ capture_method: 'manual', reference });
    const opened = await place().open('/payments?status=authorized&search=bulk');
    const { page } = opened;
    await page.getByRole('checkbox', { name: /bulk-1/ }).check();
    await page.getByRole('button', { name: 'Capture 1…' }).waitFor();
    await page.getByRole('button', { name: 'Select all 2' }).click();
    await opened.expectAccessible();
    await page.getByRole('button', { name: 'Capture 2…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Capture holds' });
    await dialog.getByText('2 holds, €99.80 in all').waitFor();
    await opened.expectAccessible();
    await dialog.getByRole('button', { name: 'Capture €99.80' }).click();
    await dialog.getByText('2 holds captured.').waitFor();
    await opened.expectAccessible();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('No payment matches').waitFor();
  });

  it('needs the typed amount for a void', async () => {
    const opened = await place().open(`/payments/${place().ids.released}`);
    const { page } = opened;
    await page.getByText('Guaranteed until').waitFor();
    await opened.expectAccessible();
    await page.getByRole('button', { name: 'Void', exact: true }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Void payment' });
    const amount = dialog.getByLabel('Type the amount');
    await amount.fill('49.9');
    await amount.fill('4990');
    await amount.press('Enter');
    await dialog.getByText('Type 49.90.').waitFor();
    await opened.expectAccessible();
    await amount.fill('49.90');
    await amount.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.locator('h1').getByText('Voided').waitFor();
  });

  it('explains to a viewer why there are no actions, on a phone too', async () => {
    const opened = await place().open(`/payments/${place().ids.yen}`, place().viewer, { width: 320 });
    const { page } = opened;
    const words = 'Your role here, viewer, does not allow this.';
    const refund = page.getByRole('button', { name: 'Refund', exact: true });
    await refund.waitFor();
    expect(await refund.getAttribute('aria-disabled')).toBe('true');
    await refund.press('Enter');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('listitem').filter({ hasText: words }).waitFor();
    await opened.expectAccessible();
  });

  it('that is unknown shows not found', async () => {
    const opened = await place().open('/payments/pay_000000000000000000000000');
    await opened.page.getByText('There is no such payment here').waitFor();
    await opened.expectAccessible();
  });
});

describe('the refunds', () => {
  it('are filtered, open beside the list, and close by Escape', async () => {
    const opened = await place().open('/refunds');
    const { page } = opened;
    await until('a refund', async () => (await rowsOf(opened).count()) > 0);
    await opened.expectAccessible();
    const row = page.locator('[data-row]').first();
    await row.focus();
    await page.keyboard.press('Enter');
    const drawer = page.getByRole('dialog', { name: 'Refund' });
    await drawer.getByText('What happened').waitFor();
    expect(queryOf(opened).get('refund')).toMatch(/^re_/);
    await opened.expectAccessible();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    await until('the address is clean', () => queryOf(opened).get('refund') === null);
    await page.goto(`${target().baseUrl}/dashboard/${place().shop.id}/refunds?status=failed`);
    await page.getByText('No refund matches').waitFor();
    await opened.expectAccessible();
  });
});

describe('the customers', () => {
  it('are found, show their fields escaped, and have a saved card removed', async () => {
    const opened = await place().open('/customers', place().support, { width: 320 });
    const { page } = opened;
    await until('a customer', async () => (await rowsOf(opened).count()) === 1);
    await opened.expectAccessible();
    const search = page.getByRole('textbox', { name: 'Search customers' });
    await search.fill('ada');
    await search.press('Enter');
    await until('the search', () => queryOf(opened).get('search') === 'ada');
    await page.locator('[data-row]').first().press('Enter');
    await page.getByRole('heading', { name: `Ada ${payload}`, level: 1 }).waitFor();
    await page.getByRole('list', { name: 'Payments of this customer' }).getByRole('link').first().waitFor();
    await opened.expectAccessible();

    const remove = page.getByRole('button', { name: 'Remove the Visa card ending in 1111' });
    await remove.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Remove saved method' });
    await dialog.waitFor();
    await opened.expectAccessible();
    await dialog.getByRole('button', { name: 'Remove method' }).press('Enter');
    await page.getByText('Nothing is saved').waitFor();
    expect(
      (await place().shop.get(`/api/v1/customers/${place().ids.customer}/payment_methods`)).body.total_count,
    ).toBe(0);
  });
});

describe('a payment', () => {
  it('whose refund failed says so, with what to do, until somebody dealt with it', async () => {
    const { shop } = place();
    const { body: payment } = await shop.pay({ reference: 'refund-failed' });
    await shop.post(`/api/v1/payments/${payment.id}/refunds`, { note: 'SIM-REFUND-FAIL-SYNC' });
    const home = await place().open('');
    await home.page.getByRole('heading', { name: 'Refunds that failed' }).waitFor();
    await home.page.getByText('The buyer has not got it').waitFor();
    await home.expectAccessible();
    const opened = await place().open('/payments?search=refund-failed', undefined, { width: 320 });
    const { page } = opened;
    await page.getByText('Refund failed').waitFor();
    await opened.expectAccessible();
    await rowsOf(opened).getByRole('link').first().click();
    await page.getByRole('heading', { name: 'The refund of €49.90 failed' }).waitFor();
    await opened.expectAccessible();
    await page.getByRole('button', { name: 'Mark as dealt with' }).click();
    await page.getByRole('heading', { name: 'The refund of €49.90 failed' }).waitFor({ state: 'detached' });
    expect(await page.getByText('Refund failed').count()).toBe(0);
  });
});
