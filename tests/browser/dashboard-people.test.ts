import { TOTP } from 'otpauth';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { addStaff, staffPassword } from '../support/dashboard.ts';
import { freshEmail, Merchant, target } from '../support/merchant.ts';
import { type OpenPage, startBrowser, type TestBrowser, type View } from './harness.ts';

/** Sign-in, the team and a person's own security settings in the browser. */
const cleanUp = new CleanUp();
const pages: OpenPage[] = [];
let browser: TestBrowser;
let shop: Merchant;

beforeAll(async () => {
  browser = await startBrowser();
  cleanUp.add(browser.close);
  shop = await Merchant.open();
});
afterAll(cleanUp.run);

afterEach(async () => {
  for (const opened of pages.splice(0)) {
    expect(opened.faults()).toEqual({ errors: [], policy: [], foreign: [] });
    await opened.close();
  }
});

async function open(path: string, view?: View): Promise<OpenPage> {
  const opened = await browser.open(target().baseUrl, `/dashboard${path}`, view);
  pages.push(opened);
  return opened;
}

async function giveCredentials({ page }: OpenPage, email: string): Promise<void> {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(staffPassword);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Adds a member, signs them in and opens this page of the account. */
async function member(role: string, path: string, view?: View) {
  const email = freshEmail();
  await addStaff(target(), shop.id, email, role);
  const opened = await open(`/${shop.id}${path}`, view);
  await giveCredentials(opened, email);
  return { ...opened, opened, email };
}

describe('signing in', () => {
  it('returns to the requested page with its filters', async () => {
    const { page } = await member('viewer', '/settings/team?sort=-email');
    await page.getByRole('heading', { name: 'Team', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/dashboard/${shop.id}/settings/team`);
    expect(new URL(page.url()).search).toBe('?sort=-email');
    expect(await page.title()).toMatch(/^\[Sandbox\] Team · /);
  });

  it('shows a message beside each missing field, and one for wrong credentials', async () => {
    const opened = await open('/login', { width: 320 });
    const { page } = opened;
    await page.getByRole('button', { name: 'Sign in' }).click();
    const field = page.getByLabel('E-mail address');
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    await page.getByText('Enter your e-mail address.').waitFor();
    await giveCredentials(opened, freshEmail());
    await page.getByRole('alert').filter({ hasText: 'password' }).waitFor();
    const password = page.getByLabel('Password');
    for (const one of [field, password]) expect(await one.getAttribute('aria-invalid')).toBe('true');
    await opened.until("document.activeElement?.name === 'password'");
    await page.getByText('You cannot sign in?').click();
    await page.getByText('Passwords are not sent by mail.').waitFor();
    await opened.expectAccessible();
  });

  it('takes the code of an authenticator, set up with the password confirmed, and a recovery code', async () => {
    const { opened, page, email } = await member('owner', '/settings/security');
    await page.getByRole('button', { name: 'Set up' }).click();
    const confirm = page.getByRole('dialog', { name: 'Confirm it is you' });
    const enrol = page.getByRole('dialog', { name: 'Set up an authenticator' });
    await confirm.or(enrol).waitFor();
    if (await confirm.isVisible()) {
      await confirm.getByLabel('Password').fill(staffPassword);
      await confirm.getByRole('button', { name: 'Confirm' }).click();
    }
    const secret = (await enrol.locator('code').textContent()) ?? '';
    await opened.expectAccessible();
    await enrol.getByLabel('Enter the code').fill(new TOTP({ secret }).generate());
    await page.keyboard.press('Enter');
    const codes = page.getByRole('dialog', { name: 'Recovery codes' });
    const [code = ''] = ((await codes.locator('pre').textContent()) ?? '').split('\n');
    await page.keyboard.press('Escape');
    await codes.getByRole('button', { name: 'I have saved it' }).click();
    await codes.waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(code);

    await page.getByRole('button', { name: 'Your menu' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await giveCredentials(opened, email);
    await page.getByRole('heading', { name: 'One more step' }).waitFor();
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await page.getByLabel('Recovery code').fill(code);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  });
});

it('who does not confirm that it is them is back where they were, and nothing is called an error', async () => {
  const { page } = await member('owner', '/settings/security');
  const error = {
    type: 'authentication_error',
    code: 'confirmation_required',
    message: 'Confirm it is you.',
  };
  await page.route('**/dashboard/api/**', (route) =>
    route.request().method() === 'POST' ? route.fulfill({ status: 403, json: { error } }) : route.continue(),
  );
  await page.getByRole('button', { name: 'Set up' }).click();
  const confirm = page.getByRole('dialog', { name: 'Confirm it is you' });
  await confirm.waitFor();
  await page.keyboard.press('Escape');
  await confirm.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Set up', disabled: false }).waitFor();
  expect((await page.getByRole('alert').allInnerTexts()).join('')).toBe('');
});

describe('the team', () => {
  it.each(['light', 'dark'] as const)('invites by a link that is shown once, in %s', async (colorScheme) => {
    const { opened, page } = await member('owner', '/settings/team', { colorScheme });
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Invite somebody' });
    await dialog.waitFor();
    await opened.expectAccessible();
    await dialog.getByLabel('E-mail address').fill('nonsense');
    await page.keyboard.press('Enter');
    await dialog.locator('[aria-invalid="true"]').waitFor();
    const invited = freshEmail();
    await dialog.getByLabel('E-mail address').fill(invited);
    await dialog.getByRole('radio', { name: 'Support' }).check();
    await dialog.getByRole('button', { name: 'Invite' }).click();
    const made = page.getByRole('dialog', { name: 'Invitation made' });
    const link = new URL((await made.locator('pre').textContent()) ?? '');
    await made.getByRole('button', { name: 'I have saved it' }).click();
    await made.waitFor({ state: 'detached' });
    // The focus has returned to the button that opened the dialog.
    await opened.untilFocusOn('Invite');
    expect(await page.content()).not.toContain(link.pathname);

    const second = await open(link.pathname.replace('/dashboard', ''), { colorScheme });
    await second.page.getByLabel('New password').fill(staffPassword);
    await second.expectAccessible();
    await second.page.getByRole('button', { name: 'Join' }).click();
    await second.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await page.reload();
    await page.getByRole('cell', { name: invited }).first().waitFor();
  });

  it('keeps an address of 84 characters within its column, at 1280 px and as a card', async () => {
    const email = `${freshEmail().split('@')[0]}@${'b'.repeat(62)}.example`;
    await addStaff(target(), shop.id, email, 'viewer');
    const { page, sidewaysScroll } = await member('owner', '/settings/team');
    await page.getByText(email).first().waitFor();
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      const beyond = `[...document.querySelectorAll('main td, main th, main li')].filter(
        (cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.textContent)`;
      expect(await page.evaluate(beyond)).toEqual([]);
      expect(await sidewaysScroll()).toBe(0);
    }
  });

  it('is read-only for a viewer, with an explanation', async () => {
    const { opened, page, email } = await member('viewer', '/settings/team');
    await page.getByRole('cell', { name: `${email} You` }).waitFor();
    const invite = page.getByRole('button', { name: 'Invite', exact: true });
    await invite.and(page.locator('[aria-disabled="true"]')).waitFor();
    await invite.focus();
    const reason = await invite.getAttribute('aria-describedby');
    expect(await page.locator(`[id="${reason}"]`).textContent()).toBe(
      'Your role (viewer) does not allow this.',
    );
    await page.keyboard.press('Enter');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await opened.expectAccessible();
  });
});

describe('the keyboard', () => {
  it('opens pages, the search and rows of the audit log, and returns the focus', async () => {
    const { opened, page } = await member('owner', '/settings/audit');
    await page.locator('[data-row]').first().waitFor();
    await page.keyboard.press('j');
    await opened.until('document.activeElement.matches("[data-row]")');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Entry' }).waitFor();
    await opened.expectAccessible();
    await page.keyboard.press('Escape');
    await opened.until('document.activeElement.matches("[data-row]")');
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    await page.getByRole('heading', { name: 'Payments', level: 1 }).waitFor();
    await opened.until('document.activeElement.matches("h1")');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('webhooks');
    await page.keyboard.press('ArrowDown');
    await opened.expectAccessible();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await opened.expectAccessible();
  });
});
