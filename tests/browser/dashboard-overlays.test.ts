import { expect, it } from 'vitest';
import { holdBack } from './hold-back.ts';
import { openPaymentsShop } from './payments-shop.ts';

/** Menus, filters, dialogs and hints, whose libraries are loaded after the page. */
const place = openPaymentsShop();

/** Opens the payments page again while one of its chunks is held back. */
async function openSlowly(chunk: string) {
  const opened = await place().open('/payments');
  const release = await holdBack(opened.page, `**/assets/${chunk}-*.js`);
  await opened.page.reload();
  await opened.page.getByRole('heading', { level: 1, name: 'Payments' }).waitFor();
  return { ...opened, release };
}

it('a menu opens at the first key while it still loads, with its first entry marked, and gives the focus back', async () => {
  const { page, release, expectAccessible, untilFocusOn, until } = await openSlowly('menu-parts');
  const button = page.getByRole('button', { name: 'Your menu' });
  expect(await button.getAttribute('aria-haspopup')).toBe('menu');
  expect(await button.getAttribute('aria-expanded')).toBe('false');
  await button.focus();
  await page.keyboard.press('Enter');
  expect(await page.getByRole('menu').count()).toBe(0);
  release();
  await untilFocusOn('Password and security');
  await page.keyboard.press('ArrowDown');
  await untilFocusOn('Keyboard shortcuts');
  await expectAccessible();
  await page.keyboard.press('Escape');
  await until("document.activeElement?.getAttribute('aria-label') === 'Your menu'");
  await button.click();
  await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click();
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await page.keyboard.press('Escape');
  await until("document.activeElement?.getAttribute('aria-label') === 'Your menu'");
});

it('a filter opens at the first click while it still loads, with the focus in its form', async () => {
  const { page, release, until } = await openSlowly('view-filter-form');
  await page.getByRole('button', { name: 'Amount', exact: true }).click();
  release();
  await page.getByRole('dialog', { name: 'Filter by amount' }).waitFor();
  await until("document.activeElement?.matches('[role=dialog] input') === true");
  await page.keyboard.press('Escape');
  await until("document.activeElement?.textContent === 'Amount'");
});

it.each(['command-palette', 'modal'])(
  'the search opens at the first key while it still loads, and keeps what is typed meanwhile (%s)',
  async (chunk) => {
    const { page, release, until } = await openSlowly(chunk);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('goto pay');
    release();
    const field = page.getByRole('dialog', { name: 'Search' }).getByRole('combobox');
    await field.waitFor();
    await until("document.activeElement?.getAttribute('role') === 'combobox'");
    await page.keyboard.type('ments');
    expect(await field.inputValue()).toBe('goto payments');
  },
);

it('Escape ends a search that still loads', async () => {
  const { page, release, until } = await openSlowly('command-palette');
  await page.keyboard.press('Control+k');
  await page.keyboard.press('Escape');
  release();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await until("document.querySelectorAll('[role=dialog]').length === 1");
});

it('a hint is shown on focus and on hover, and closed by Escape', async () => {
  const { page, until } = await place().open('/payments');
  await page.getByRole('heading', { level: 1, name: 'Payments' }).waitFor();
  const hint = page.locator('[data-tooltip-shown]');
  await page.getByRole('button', { name: 'Search', exact: false }).first().focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await until("document.activeElement?.getAttribute('aria-label') === 'Your menu'");
  await hint.filter({ hasText: 'Your menu' }).waitFor();
  await page.keyboard.press('Escape');
  await hint.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Columns' }).hover();
  await hint.filter({ hasText: 'Columns' }).waitFor();
  await hint.hover();
  await page.getByRole('button', { name: 'Columns' }).click();
  await hint.waitFor({ state: 'detached' });
});

it('a filter that is removed, and all that are cleared, leave the focus beside them', async () => {
  for (const [path, heading, chip] of [
    ['/payments?status=failed', 'Payments', 'Status'],
    ['/developers/events?type=payment.failed', 'Events', 'Type'],
  ] as const) {
    const { page, until } = await place().open(path);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    await page.getByRole('button', { name: `Remove filter ${chip}` }).press('Enter');
    await until(`document.activeElement?.textContent === '${chip}'`);
    await page.goBack();
    await page.getByRole('button', { name: 'Clear filters' }).first().press('Enter');
    await until(`document.activeElement?.textContent === '${chip}'`);
  }
});

it('words on a piece of evidence are typed where their button was pressed', async () => {
  const { shop, ids, open } = place();
  const { body } = await shop.post(`/api/v1/test_helpers/payments/${ids.yen}/dispute`, {});
  const { page, expectAccessible } = await open(`/disputes/${body.id}`);
  await page
    .getByRole('button', { name: /^Add words on/ })
    .first()
    .press('Enter');
  await page.keyboard.type('Signed at the door');
  await page.getByText('Draft saved').waitFor();
  const words = page.getByRole('textbox', { name: /^Words on/ });
  expect(await words.inputValue()).toBe('Signed at the door');
  await expectAccessible();
});
