import { deflateSync } from 'node:zlib';
import type { Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { addStaff, staffPassword } from '../support/dashboard.ts';
import { freshEmail, Merchant, target } from '../support/merchant.ts';
import { type OpenPage, startBrowser, type TestBrowser, type View } from './harness.ts';

/** The list of disputes and the answer to one, with the keyboard. */
const cleanUp = new CleanUp();
const pages: OpenPage[] = [];
let browser: TestBrowser;
let shop: Merchant;

/** Text that a merchant or a buyer might type to inject markup into the page. */
const attack = '<img src=x onerror=document.title=1>"\'&';
const pdf = Buffer.from('%PDF-1.7\nreceipt');

beforeAll(async () => {
  browser = await startBrowser();
  cleanUp.add(browser.close);
  shop = await Merchant.open('processor_b');
});
afterAll(cleanUp.run);

afterEach(async () => {
  for (const opened of pages.splice(0)) {
    expect(opened.faults()).toEqual({ errors: [], policy: [], foreign: [] });
    await opened.close();
  }
});

/** Adds a member, signs them in and opens this page of the account. */
async function member(role: string, path: string, view?: View): Promise<OpenPage> {
  const email = freshEmail();
  await addStaff(target(), shop.id, email, role);
  const opened = await browser.open(target().baseUrl, `/dashboard/${shop.id}${path}`, view);
  pages.push(opened);
  await opened.page.getByLabel('E-mail address').fill(email);
  await opened.page.getByLabel('Password').fill(staffPassword);
  await opened.page.getByRole('button', { name: 'Sign in' }).click();
  return opened;
}

async function dispute(reason: string): Promise<string> {
  const customer = { email: freshEmail(), name: attack };
  const { body: payment } = await shop.pay({ reference: attack, customer });
  const { body } = await shop.post(`/api/v1/test_helpers/payments/${payment.id}/dispute`, { reason });
  expect(body.status).toBe('action_required');
  return body.id;
}

/** A chunk of a PNG file: length, name, content, checksum. */
function chunk(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), content]);
  let crc = 0xffffffff;
  for (const byte of named) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  checksum.writeUInt32BE((crc ^ 0xffffffff) >>> 0);
  return Buffer.concat([length, named, checksum]);
}

/** A picture of one grey pixel. */
const png = Buffer.concat([
  Buffer.from('89504e470d0a1a0a', 'hex'),
  chunk('IHDR', Buffer.from('00000001000000010800000000', 'hex')),
  chunk('IDAT', deflateSync(Buffer.from([0, 128]))),
  chunk('IEND', Buffer.alloc(0)),
]);

function gate(): [Promise<void>, () => void] {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return [opened, () => open()];
}

describe('the inbox', () => {
  it('works by keyboard, and accepting needs the amount', async () => {
    await dispute('fraudulent');
    const opened = await member('support', '/disputes');
    const { page } = opened;
    await page.getByRole('row').nth(1).waitFor();
    await opened.expectAccessible();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Dispute of €49.90' }).waitFor();
    await page.getByText('The cardholder says that they did not make this payment.').waitFor();
    await opened.expectAccessible();

    const opener = page.getByRole('button', { name: 'Accept the loss…' });
    await opener.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Accept the loss' });
    await dialog.waitFor();
    await opened.expectAccessible();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await opened.untilFocusOn('Accept the loss…');

    await page.keyboard.press('Enter');
    await dialog.getByLabel(/^Type the amount/).focus();
    await page.keyboard.type('49.9');
    await page.keyboard.press('Enter');
    await dialog.getByText('Type 49.90.').waitFor({ state: 'detached' });
    await page.getByText('The dispute of €49.90 was accepted').first().waitFor();
    await page.getByText('The loss was accepted, or nobody answered in time.').waitFor();
    expect(await opener.getAttribute('aria-disabled')).toBe('true');

    await page.goto(`${target().baseUrl}/dashboard/${shop.id}/disputes`);
    await page.getByRole('tab', { name: /^Action required/ }).focus();
    await page.keyboard.press('ArrowLeft');
    await opened.until(`location.search === '?tab=closed'`);
    await page.getByRole('row').nth(1).waitFor();
    await opened.expectAccessible();
  });

  it('refuses another amount with a message', async () => {
    const id = await dispute('duplicate');
    const { page } = await member('admin', `/disputes/${id}`);
    await page.getByRole('button', { name: 'Accept the loss…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Accept the loss' });
    await dialog.getByLabel(/^Type the amount/).fill('4.99');
    await page.keyboard.press('Enter');
    await dialog.getByText('Type 49.90.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Defend the payment' }).waitFor();
  });

  it('explains to a viewer why there are no actions', async () => {
    const id = await dispute('general');
    const opened = await member('viewer', `/disputes/${id}`, { width: 320, colorScheme: 'dark' });
    await opened.page.getByText('Owners, admins and support answer disputes.').waitFor();
    expect(
      await opened.page.getByRole('button', { name: 'Accept the loss…' }).getAttribute('aria-disabled'),
    ).toBe('true');
    await opened.expectAccessible();
  });
});

describe('a defence', () => {
  it('keeps files and text as a draft while other pages are visited, and is submitted once', async () => {
    const id = await dispute('product_not_received');
    const opened = await member('owner', `/disputes/${id}`, { colorScheme: 'dark' });
    const { page } = opened;
    await page.getByLabel('Statement').fill(`${attack} It arrived.`);
    const add = page.getByLabel('Add file: Proof of delivery');
    await add.setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('x') });
    await page.getByText('“notes.txt” is no PDF, PNG or JPEG file.').waitFor();
    await add.setInputFiles({ name: 'fake.pdf', mimeType: 'application/pdf', buffer: Buffer.from('x') });
    await page.getByText('file must be a PDF, JPEG or PNG.').waitFor();
    await add.setInputFiles({ name: `${attack}.pdf`, mimeType: 'application/pdf', buffer: pdf });
    await page.getByRole('link', { name: /^Download .*\.pdf$/ }).waitFor();
    await add.setInputFiles({ name: 'parcel.png', mimeType: 'image/png', buffer: png });
    const picture = page.locator('img[src*="/files/file_"]');
    await picture.waitFor();
    await opened.until(`document.querySelector('img[src*="/files/file_"]').naturalWidth === 1`);
    await page.getByRole('button', { name: 'Add words on log of use' }).click();
    await page.getByLabel('Words on log of use').fill(attack);
    await page.getByText('2 of 5 that help most').waitFor();
    await opened.expectAccessible();

    // The text that was typed last is saved when the person leaves the page, and shown when it is opened again.
    const isLast = (text: string | null) => text?.includes('It arrived on time.') === true;
    const saved = page.waitForResponse((response) => isLast(response.request().postData()) && response.ok());
    const statement = page.getByLabel('Statement');
    await statement.fill(`${attack} It arrived on time.`);
    await page.getByRole('link', { name: 'Payments', exact: true }).click();
    await page.getByRole('heading', { name: 'Payments', level: 1 }).waitFor();
    await saved;
    await page.goBack();
    await page.getByText('2 of 5 that help most').waitFor();
    await page.getByText(/^Draft saved\. Last edited by/).waitFor();
    expect(await statement.inputValue()).toBe(`${attack} It arrived on time.`);
    await page.reload();
    await page.getByText('2 of 5 that help most').waitFor();
    expect(await statement.inputValue()).toBe(`${attack} It arrived on time.`);

    const submit = page.getByRole('button', { name: 'Submit defence…' });
    await submit.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Submit this defence?' });
    await dialog.getByText('2 files in all.').waitFor();
    await opened.expectAccessible();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await opened.untilFocusOn('Submit defence…');
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Submit defence' }).click();

    await page.getByRole('heading', { name: 'Your defence', exact: true }).waitFor();
    await page.getByText(/^Taken by the processor/).waitFor();
    await page.getByText(`${attack} It arrived on time.`).waitFor();
    expect(await page.getByRole('heading', { name: 'Defend the payment' }).count()).toBe(0);
    expect(await page.title()).toContain('Dispute of');
    await opened.expectAccessible();
  });

  it('that is left again before its first save is answered loses nothing, and is no conflict', async () => {
    const id = await dispute('general');
    const { page } = await member('owner', `/disputes/${id}`);
    const [stored, onStored] = gate();
    const [released, release] = gate();
    const isSecond = (request: Request) => request.postData()?.includes('Second.') === true;
    await page.route('**/draft', async (route) => {
      const response = await route.fetch();
      if (!isSecond(route.request())) {
        onStored();
        await released;
      }
      await route.fulfill({ response });
    });
    const statement = page.getByLabel('Statement');
    const leave = async () => {
      await page.getByRole('link', { name: 'Payments', exact: true }).click();
      await page.getByRole('heading', { name: 'Payments', level: 1 }).waitFor();
    };
    await statement.fill('First.');
    await leave();
    await stored;
    await page.goBack();
    const second = page.waitForResponse((response) => isSecond(response.request()));
    await statement.fill('First. Second.');
    await leave();
    await second;
    const first = page.waitForResponse((response) => response.url().endsWith('/draft'));
    release();
    await first;
    await page.goBack();
    await page.getByText(/^Draft saved\. Last edited by/).waitFor();
    expect(await statement.inputValue()).toBe('First. Second.');
    expect(await page.getByText('have written here at the same time').count()).toBe(0);
  });

  it('is prepared by two people, of whom neither overwrites the other, and handed over', async () => {
    const id = await dispute('fraudulent');
    const [opened, other] = [
      await member('support', `/disputes/${id}`),
      await member('admin', `/disputes/${id}`, { width: 390, height: 844 }),
    ];
    const [{ page }, { page: theirs }] = [opened, other];
    const statementOf = ({ page: shown }: OpenPage) => shown.getByLabel('Statement');
    await statementOf(other).waitFor();
    await statementOf(opened).fill('They signed in.');
    await page.getByText(/^Draft saved\. Last edited by/).waitFor();
    await theirs.getByRole('button', { name: 'Look and attach…' }).click();
    const record = theirs.getByRole('dialog', { name: 'What Till has on record' });
    await record.getByText('no result was reported').waitFor();
    await other.expectAccessible();
    await record.getByRole('button', { name: 'Attach as PDF' }).click();
    await theirs.getByRole('link', { name: /^Download records-of-pay_.*\.pdf$/ }).waitFor();
    // Saved on top of what the other person wrote meanwhile, and merged with it.
    await theirs.getByText(/^Draft saved\. Last edited by/).waitFor();
    expect(await statementOf(other).inputValue()).toBe('They signed in.');

    await statementOf(opened).fill('They signed in twice.');
    await page.getByText('1 of 5 that help most').waitFor();
    await page.getByText(/^Draft saved\. Last edited by/).waitFor();
    await statementOf(other).fill('They never signed in.');
    await theirs.getByText(/have written here at the same time$/).waitFor();
    await theirs.getByText('They signed in twice.').waitFor();
    await other.expectAccessible();
    await theirs.getByRole('button', { name: 'Keep mine of the statement' }).click();
    await theirs.getByText(/^Draft saved\. Last edited by/).waitFor();

    const handed = page.getByLabel('Handed to');
    const [, colleague = ''] = await handed.locator('option').allTextContents();
    await handed.selectOption({ label: colleague });
    await page.getByText(`Handed to ${colleague}`).first().waitFor();
    await opened.expectAccessible();
    await page.getByRole('link', { name: 'Disputes', exact: true }).first().click();
    const row = page.getByRole('row').filter({ hasText: colleague });
    await row.getByText(/^Draft, 1 file, by .*@/).waitFor();
    await opened.expectAccessible();
  });

  it('that is empty is not submitted', async () => {
    const id = await dispute('incorrect_amount');
    const opened = await member('owner', `/disputes/${id}`, { width: 320 });
    const { page } = opened;
    await page.getByRole('button', { name: 'Submit defence…' }).click();
    await page.getByText('Add at least one piece of evidence, or write a statement.').waitFor();
    await page.getByLabel('Other evidence').selectOption('refund_policy');
    await page.getByRole('button', { name: 'Add this kind of evidence' }).click();
    await page.getByRole('heading', { name: 'Refund policy (not added)' }).waitFor();
    await opened.expectAccessible();
  });
});
