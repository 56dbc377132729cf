import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { freshEmail } from '../support/merchant.ts';
import { until } from '../support/until.ts';
import { openPaymentsShop, payload, queryOf, rowsOf } from './payments-shop.ts';

/** The list of payments, as finance and support staff see it in the browser. */
const place = openPaymentsShop();

describe('the list of payments', () => {
  it('is filtered by keyboard; the filters are in the URL and can be saved as a view', async () => {
    const opened = await place().open('/payments');
    const { page } = opened;
    await until('all payments', async () => (await rowsOf(opened).count()) === 5);
    await page.getByText('JP¥5,000', { exact: true }).waitFor();
    await opened.expectAccessible();

    await page.getByRole('button', { name: 'Status', exact: true }).press('Enter');
    await page.getByRole('checkbox', { name: 'Failed' }).press('Space');
    await opened.expectAccessible();
    await page.keyboard.press('Enter');
    await until('one payment', async () => (await rowsOf(opened).count()) === 1);
    expect(queryOf(opened).get('status')).toBe('failed');
    await page.getByText('Failed: do not honour').waitFor();

    await page.getByRole('button', { name: 'Views' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Save these filters…' }).press('Enter');
    await page.getByLabel('Name').fill(payload);
    await opened.expectAccessible();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Clear filters' }).press('Enter');
    await until('all payments again', async () => (await rowsOf(opened).count()) === 5);
    // The server stores the view, so another browser of the same person has it.
    const other = await place().open('/payments');
    await other.page.getByRole('button', { name: 'Views' }).press('Enter');
    await other.page.getByRole('menuitem', { name: payload }).press('Enter');
    await until('the view is open', () => queryOf(other).get('status') === 'failed');
    await until('one payment there', async () => (await rowsOf(other).count()) === 1);
  });

  it('filters by amount in one currency, with messages for wrong input', async () => {
    const opened = await place().open('/payments');
    const { page } = opened;
    await page.getByRole('button', { name: 'Amount', exact: true }).first().press('Enter');
    const form = page.getByRole('dialog', { name: 'Filter by amount' });
    await form.getByLabel('At least').fill('50');
    await form.getByLabel('At least').press('Enter');
    await form.getByText('Enter the three letters of a currency').waitFor();
    await form.getByLabel('Currency').fill('jpy');
    await form.getByLabel('At least').fill('50.5');
    await form.getByLabel('At least').press('Enter');
    await form.getByText('Enter an amount').waitFor();
    await form.getByLabel('At least').fill('5000');
    await form.getByLabel('At least').press('Enter');
    await until('one payment', async () => (await rowsOf(opened).count()) === 1);
    expect(Object.fromEntries(queryOf(opened))).toEqual({ currency: 'JPY', amount_gte: '5000' });
  });

  it('searches by reference, opens with j and Enter, and says when nothing matches', async () => {
    const opened = await place().open('/payments');
    const { page } = opened;
    const search = page.getByRole('textbox', { name: 'Search payments' });
    await search.fill('order-2');
    await search.press('Enter');
    await until('one payment', async () => (await rowsOf(opened).count()) === 1);
    await page.getByRole('heading', { name: 'Payments', level: 1 }).focus();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Do not honour: no money was taken' }).waitFor();
    await page.goBack();
    await search.fill('nothing like it');
    await search.press('Enter');
    await page.getByText('No payment matches').waitFor();
    await opened.expectAccessible();
    await page.getByRole('button', { name: 'Clear filters' }).last().press('Enter');
    await until('all payments', async () => (await rowsOf(opened).count()) === 5);
  });

  it('keeps its columns at 1280 px whatever stands in them, and is cards on a phone', async () => {
    const long = 'a-reference-without-end-'.repeat(3);
    const customer = {
      email: freshEmail(),
      name: 'Hubert Wolfeschlegelsteinhausenbergerdorff '.repeat(2).trim(),
    };
    const { status } = await place().shop.pay({ amount: 99_999_999, reference: long, customer });
    expect(status).toBe(201);
    const wide = await place().open('/payments?search=a-reference', undefined, { width: 1280 });
    await wide.page.getByText('Hubert').waitFor();
    const created = await wide.page.locator('#main tbody tr td:last-child').boundingBox();
    expect((created?.x ?? 1280) + (created?.width ?? 0)).toBeLessThanOrEqual(1280);
    // A region that does not fit scrolls, and is in the tab order so that the keyboard can scroll it.
    expect(await wide.page.locator('#main section[tabindex]').count()).toBe(0);
    const phone = await place().open('/payments', undefined, { width: 390 });
    const card = phone.page.getByRole('listitem').filter({ hasText: long });
    await card.getByText('€999,999.99').waitFor();
    await card.getByText('Hubert').waitFor();
    await phone.expectAccessible();
    await phone.page.getByRole('link', { name: '€999,999.99' }).click();
    await phone.page.getByRole('heading', { level: 1, name: /999,999\.99/ }).waitFor();
  });

  it('never sends a whole card number', async () => {
    const opened = await place().open('/payments');
    const { page } = opened;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url() + (request.postData() ?? '')));
    const search = page.getByRole('textbox', { name: 'Search payments' });
    await search.fill('4111 1111 1111 1111');
    await search.press('Enter');
    await until('the last digits are looked for', () => queryOf(opened).get('search') === '1111');
    await until('six payments', async () => (await rowsOf(opened).count()) === 6);
    expect(asked.filter((text) => text.replaceAll(/%20|\+| /g, '').includes('4111111111111111'))).toEqual([]);
  });

  it('is exported as filtered', async () => {
    const opened = await place().open('/payments?status=succeeded&search=order');
    const { page } = opened;
    await until('one payment', async () => (await rowsOf(opened).count()) === 1);
    const trigger = page.getByRole('button', { name: 'Export' });
    await trigger.press('Enter');
    await page.getByText('To be written: 1 payment.').waitFor();
    await opened.expectAccessible();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).press('Enter'),
    ]);
    await page.getByText('Written: 1 payment.').waitFor();
    expect(file.suggestedFilename()).toMatch(/^payments-[^/]+-20\d\d-\d\d-\d\d-sandbox\.csv$/);
    const lines = (await readFile(await file.path(), 'utf8')).trim().split('\r\n');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain(`${place().ids.yen},`);
    expect(lines[1]).toContain(',5000,5000,JPY,');
    expect(lines[1]).toContain('q=order; status=succeeded');
    await page.keyboard.press('Escape');
    await opened.untilFocusOn('Export');
    for (const [path, written] of [
      ['/refunds', 'Written: 0 refunds.'],
      ['/disputes?reason=fraudulent', 'Written: 0 disputes.'],
    ] as const) {
      const list = await place().open(path);
      await list.page.getByRole('button', { name: 'Export' }).press('Enter');
      const saved = list.page.waitForEvent('download');
      await list.page.getByRole('button', { name: 'Export CSV' }).press('Enter');
      await list.page.getByText(written).waitFor();
      expect(await readFile(await (await saved).path(), 'utf8')).toMatch(/^\u{FEFF}id,/u);
      await list.expectAccessible();
    }
  });
});
