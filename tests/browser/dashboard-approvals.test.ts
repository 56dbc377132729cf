import { afterAll, beforeAll, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { Browser } from '../support/dashboard.ts';
import { Merchant, target, till } from '../support/merchant.ts';
import { startBrowser, type TestBrowser } from './harness.ts';
import { openSignedIn } from './screenshots/dashboard.ts';

/** Requests that wait for approval, as the people who may decide see them in the browser. */
const cleanUp = new CleanUp();
let browser: TestBrowser;
let shop: Merchant;
let owner: Browser;
let viewer: Browser;
let key: string;

beforeAll(async () => {
  browser = await startBrowser();
  cleanUp.add(browser.close);
  shop = await Merchant.open();
  owner = await Browser.of(shop, 'owner');
  viewer = await Browser.of(shop, 'viewer');
  const restriction = ['--permissions', 'refunds:write', '--approval-above', '0'];
  const make = ['keys', 'create', '--account', shop.id, '--name', 'Support bot', ...restriction] as const;
  key = (await till<{ secret_key: string }>(...make)).secret_key;
});
afterAll(cleanUp.run);

async function ask(note: string): Promise<string> {
  const { id } = (await shop.pay({ amount: 4990 })).body;
  const asked = await shop.post(`/api/v1/payments/${id}/refunds`, { note }, { key });
  expect(asked.status, asked.text).toBe(202);
  return asked.body.id;
}
const approvalOf = async (id: string) => (await shop.get(`/api/v1/approvals/${id}`)).body;

it('shows who asks for what and why, and is approved or refused with a reason', async () => {
  const [first, second] = [await ask('Came broken'), await ask('Wants it back')];
  const opened = await openSignedIn(browser, target(), owner);
  const { page } = opened;
  await opened.goTo(shop.id, '/approvals');
  const row = page.getByRole('row', { name: /Refund €49.90.*Support bot.*Came broken/ });
  await row.waitFor();
  await opened.expectAccessible();
  await row.getByRole('button', { name: /^Approve/ }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Approve this refund?' });
  await dialog.getByLabel('Reason').fill('Seen the picture');
  await opened.expectAccessible();
  await dialog.getByRole('button', { name: 'Approve refund' }).press('Enter');
  await page.getByText('The refund was approved').first().waitFor();
  await row.waitFor({ state: 'detached' });
  expect(await approvalOf(first)).toMatchObject({ status: 'approved', reason: 'Seen the picture' });

  await page.getByRole('button', { name: /^Refuse/ }).press('Enter');
  await page.getByRole('button', { name: 'Refuse refund' }).press('Enter');
  await page.getByText('Nothing waits for approval').waitFor();
  expect(await approvalOf(second)).toMatchObject({ status: 'refused', reason: null });
  await page.getByLabel('All', { exact: true }).check({ force: true });
  await page.getByRole('row', { name: /Refused/ }).waitFor();
  await opened.expectAccessible();
  await opened.close();
});

it('is only looked at by other roles, on a phone too', async () => {
  await ask('Too large');
  const opened = await openSignedIn(browser, target(), viewer, { width: 320, colorScheme: 'dark' });
  await opened.goTo(shop.id, '/approvals');
  await opened.page.getByText('Too large').waitFor();
  const approve = opened.page.getByRole('button', { name: /^Approve/ });
  await approve.waitFor();
  expect(await approve.getAttribute('aria-disabled')).toBe('true');
  await opened.expectAccessible();
  await opened.close();
});

it('takes the place of a refund that the role may not make by itself, as the settings say', async () => {
  const opened = await openSignedIn(browser, target(), owner, { width: 1280 });
  const { page } = opened;
  await opened.goTo(shop.id, '/settings/payments');
  const field = page.getByLabel('Support: wait above');
  await field.fill('1000');
  await page.getByRole('button', { name: 'Save amounts' }).press('Enter');
  await page.getByText('Approval by role changed').first().waitFor();
  await opened.expectAccessible();
  await opened.close();

  const { id } = (await shop.pay({ amount: 4990 })).body;
  const support = await Browser.of(shop, 'support');
  const theirs = await openSignedIn(browser, target(), support, { width: 320, colorScheme: 'dark' });
  await theirs.goTo(shop.id, `/payments/${id}`);
  await theirs.page
    .getByRole('button', { name: /^Refund/ })
    .first()
    .press('Enter');
  const dialog = theirs.page.getByRole('dialog', { name: 'Refund payment' });
  await dialog.getByRole('button', { name: /^Refund €49.90/ }).press('Enter');
  await dialog.getByText('Waits for approval', { exact: true }).waitFor();
  await theirs.expectAccessible();
  expect((await shop.get(`/api/v1/payments/${id}/refunds`)).body.data).toEqual([]);
  await dialog.getByRole('link', { name: 'Look at what waits for approval' }).press('Enter');
  await theirs.page.getByRole('heading', { name: 'Waiting for approval' }).waitFor();
  await theirs.close();
});

it('says that a request is of the own key, and leaves it to others where there are any', async () => {
  const own = await Merchant.open();
  const alone = await Browser.of(own, 'owner');
  const restriction = { permissions: ['refunds:write'], approval_above: 0 };
  const made = await alone.post(`/accounts/${own.id}/api_keys`, { name: 'Agent', restriction });
  const { id } = (await own.pay({ amount: 4990 })).body;
  const asked = await own.post(`/api/v1/payments/${id}/refunds`, {}, { key: made.body.secret_key });
  expect(asked.status, asked.text).toBe(202);
  const opened = await openSignedIn(browser, target(), alone, { width: 320, colorScheme: 'dark' });
  const { page } = opened;
  await opened.goTo(own.id, '/approvals');
  const approve = page.getByRole('button', { name: /^Approve/ });
  await approve.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Approve this refund?' });
  await dialog.getByText(/Nobody who has no part in it could approve it/).waitFor();
  await opened.expectAccessible();
  await dialog.getByRole('button', { name: 'Cancel' }).press('Enter');

  await Browser.of(own, 'admin');
  await page.reload();
  await approve.and(page.locator('[aria-disabled=true]')).waitFor();
  expect(await approve.getAttribute('data-tooltip')).toContain('You made the API key that asked for this');
  await page.getByText('A key of yours').waitFor();
  await opened.expectAccessible();
  await opened.close();
});
