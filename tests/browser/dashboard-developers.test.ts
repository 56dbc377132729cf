import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { Browser } from '../support/dashboard.ts';
import { Merchant, type Reply, target, till } from '../support/merchant.ts';
import { until } from '../support/until.ts';
import { type OpenPage, startBrowser, type TestBrowser, type View } from './harness.ts';

/** API keys, events and the request log, as developers see them in the browser. */
const cleanUp = new CleanUp();
const pages: OpenPage[] = [];
const payload = `<img src=x onerror="document.title='taken over'">`;
let browser: TestBrowser;
let shop: Merchant;
let developer: Browser;
let viewer: Browser;

beforeAll(async () => {
  browser = await startBrowser();
  cleanUp.add(browser.close);
  shop = await Merchant.open();
  developer = await Browser.of(shop, 'developer');
  viewer = await Browser.of(shop, 'viewer');
});
afterAll(cleanUp.run);

afterEach(async () => {
  for (const opened of pages.splice(0)) {
    expect(opened.faults()).toEqual({ errors: [], policy: [], foreign: [] });
    expect(await opened.page.title()).not.toContain('taken over');
    await opened.close();
  }
});

/** Opens a page of the account in the browser of a signed-in person. */
async function open(path: string, staff = developer, view?: View): Promise<OpenPage> {
  const { baseUrl } = target();
  const opened = await browser.open(baseUrl, undefined, view);
  pages.push(opened);
  const [name = '', value = ''] = (staff.cookie ?? '').split('=');
  await opened.context.addCookies([{ name, value, url: baseUrl }]);
  await opened.page.goto(`${baseUrl}/dashboard/${shop.id}${path}`);
  return opened;
}

/** Everything that the page stores: its DOM, typed values, storage and history. */
const kept = ({ page }: OpenPage) =>
  page.evaluate<string>(`JSON.stringify([document.documentElement.outerHTML, location.href, history.state,
    {...localStorage}, {...sessionStorage}, [...document.querySelectorAll('input, textarea')].map((one) => one.value)])`);

const requestId = (reply: Reply) => reply.headers.get('service-request-id') ?? '';

async function logged(reply: Reply): Promise<string> {
  const id = requestId(reply);
  await until('the request is logged', async () => {
    const { data } = (await developer.get(`/accounts/${shop.id}/request_logs?search=${id}`)).body;
    return data.length > 0;
  });
  return id;
}

describe('the API keys', () => {
  it('are made by keyboard alone, shown once and then nowhere', async () => {
    const opened = await open('/developers/keys');
    const { page } = opened;
    const create = page.getByRole('button', { name: 'Create key', disabled: false });
    await create.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Create an API key' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Enter a name.').waitFor();
    await page.getByLabel('Name').focus();
    await page.keyboard.type(payload);
    await opened.expectAccessible();
    await page.keyboard.press('Enter');

    const reveal = page.getByRole('dialog', { name: /^The key / });
    await reveal.waitFor();
    const secret = /sk_test_[0-9A-Za-z]{32}/.exec(await reveal.innerText())?.[0] ?? '';
    await opened.expectAccessible();
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 400);
    expect(await reveal.isVisible()).toBe(true);
    await page.getByRole('button', { name: 'I have saved it' }).press('Enter');
    await reveal.waitFor({ state: 'detached' });
    await opened.untilFocusOn('Create key');

    expect((await shop.call('GET', '/api/v1/payments', { key: secret })).status).toBe(200);
    expect(await kept(opened)).not.toContain(secret);
    await page.reload();
    await page.getByText(payload, { exact: true }).waitFor();
    expect(await kept(opened)).not.toContain(secret);
    await opened.expectAccessible();

    await page.getByRole('button', { name: `Revoke the key ${payload}` }).press('Enter');
    const confirm = page.getByRole('dialog', { name: /^Revoke / });
    await confirm.getByText('Last used').waitFor();
    await opened.expectAccessible();
    await confirm.getByRole('button', { name: 'Revoke key' }).press('Enter');
    await page.getByRole('row', { name: /Revoked/ }).waitFor();
    expect((await shop.call('GET', '/api/v1/payments', { key: secret })).status).toBe(401);
  });

  it('are rolled with an end for the old one, and the new one is shown once', async () => {
    const rolled = await Merchant.open();
    const owner = await Browser.of(rolled, 'owner');
    const opened = await open('/developers/keys', owner);
    const { page } = opened;
    await page.goto(`${target().baseUrl}/dashboard/${rolled.id}/developers/keys`);
    await page.getByRole('button', { name: /^Roll the key / }).click();
    await page.getByLabel('The old key expires').selectOption('In 3 days');
    await opened.expectAccessible();
    await page.getByRole('button', { name: 'Roll key' }).press('Enter');
    const reveal = page.getByRole('dialog', { name: /^The new key / });
    await reveal.waitFor();
    const secret = /sk_test_[0-9A-Za-z]{32}/.exec(await reveal.innerText())?.[0] ?? '';
    await page.locator('tr', { hasText: 'expires' }).waitFor();
    await page.getByRole('button', { name: 'I have saved it' }).press('Enter');
    await reveal.waitFor({ state: 'detached' });
    expect(await kept(opened)).not.toContain(secret);
    for (const key of [secret, rolled.key]) {
      expect((await rolled.call('GET', '/api/v1/payments', { key })).status).toBe(200);
    }
    await opened.expectAccessible();
  });

  it('are restricted to what is chosen, and the list says to what', async () => {
    const opened = await open('/developers/keys');
    const { page } = opened;
    await page.getByRole('button', { name: 'Create key', disabled: false }).click();
    const dialog = page.getByRole('dialog', { name: 'Create an API key' });
    await dialog.getByLabel('Name').fill('Support bot');
    await dialog.getByLabel('Only what I choose').check();
    await dialog.getByLabel('Most at once').fill('5.00');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByText('Choose what the key may do.').waitFor();
    await dialog.getByText(/whole number of minor units/).waitFor();
    await opened.expectAccessible();
    await dialog.getByLabel('Refunds').selectOption('Read and write');
    await dialog.getByLabel('Most at once').fill('500');
    await dialog.getByLabel('Last day').fill('2099-12-31');
    await dialog.getByLabel('Addresses').fill('127.0.0.1\nnowhere');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByText(/"nowhere" is no IPv4/).waitFor();
    await dialog.getByLabel('Addresses').fill('127.0.0.1\n2001:db8::/32');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const reveal = page.getByRole('dialog', { name: /^The key / });
    await reveal.waitFor();
    const secret = /rk_test_[0-9A-Za-z]{32}/.exec(await reveal.innerText())?.[0] ?? '';
    await page.getByRole('button', { name: 'I have saved it' }).press('Enter');
    const row = page.getByRole('row', { name: /Support bot/ });
    for (const shown of ['refunds:*', '500 minor units', '2001:db8::/32'])
      await row.getByText(shown).waitFor();
    await opened.expectAccessible();
    expect((await shop.call('GET', '/api/v1/payments', { key: secret })).status).toBe(403);
  });

  it('say limits with their unit and groups of digits, and what always waits', async () => {
    const owner = await Browser.of(shop, 'owner');
    const make = (name: string, limits: object) =>
      owner.post(`/accounts/${shop.id}/api_keys`, {
        name,
        restriction: { permissions: ['refunds:*'], ...limits },
      });
    await make('Limited', { max_amount: 1_250_000, max_daily: 1, approval_above: 50_000 });
    await make('Watched', { approval_above: 0 });
    const { page } = await open('/developers/keys', owner);
    const limited = page.getByRole('row', { name: /Limited/ });
    await limited.getByText('At most 1,250,000 minor units at once').waitFor();
    await limited.getByText('At most 1 minor unit on one day').waitFor();
    await limited
      .getByText('Refunds, captures and links above 50,000 minor units wait for approval')
      .waitFor();
    await page
      .getByRole('row', { name: /Watched/ })
      .getByText('All refunds, captures and links wait for approval')
      .waitFor();
  });

  it('of the other environment show the error that they get', async () => {
    const live = await Merchant.open();
    await till('accounts', 'update', live.id, '--environment', 'live', '--activation', 'active');
    const owner = await Browser.of(live, 'owner');
    const opened = await open('/developers/keys', owner);
    await opened.page.goto(`${target().baseUrl}/dashboard/${live.id}/developers/keys`);
    await opened.page.getByRole('row', { name: /Other environment answers key_mode_mismatch/ }).waitFor();
    await opened.expectAccessible();
  });

  it('are refused to other roles with an explanation', async () => {
    const opened = await open('/developers/keys', viewer, { width: 320 });
    const { page } = opened;
    await page.getByText('Your role does not show API keys').waitFor();
    await page.getByRole('button', { name: 'Create key' }).press('Enter');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await opened.expectAccessible();
  });
});

describe('the request logs', () => {
  it('show the differing fields of a reused key', async () => {
    const idempotencyKey = 'order-4711';
    const first = await shop.pay({ amount: 100, reference: payload }, { idempotencyKey });
    const replay = await shop.pay({ amount: 100, reference: payload }, { idempotencyKey });
    const reused = await shop.pay({ amount: 250, reference: 'b' }, { idempotencyKey });
    expect([first.status, replay.status, reused.status]).toEqual([201, 201, 409]);
    await logged(reused);
    const opened = await open('/developers/logs?code=key_reused');
    const { page } = opened;
    await page.getByRole('button', { name: /POST/ }).first().press('Enter');
    const drawer = page.getByRole('dialog', { name: 'Request' });
    await drawer.getByRole('row', { name: 'amount 100 250' }).waitFor();
    await drawer.getByRole('row', { name: `reference "${payload.replaceAll('"', '\\"')}" "b"` }).waitFor();
    await drawer.getByText('payment_method.cvc').first().waitFor();
    await opened.expectAccessible();
    await drawer.getByRole('button', { name: 'Open the first request' }).click();
    await drawer.getByText(requestId(first)).waitFor();
    expect(new URL(page.url()).searchParams.get('open')).toBe(requestId(first));
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Remove filter Error code' }).click();
    await page.getByRole('row', { name: /Replay/ }).waitFor();
    await opened.expectAccessible();
  });

  it('are found by request and by payment, and show redacted bodies', async () => {
    const paid = await shop.pay({ card: { cvc: '9172' } });
    const id = await logged(paid);
    const opened = await open(`/developers/logs?payment=${paid.body.id}`, developer, { width: 320 });
    const { page } = opened;
    await page.getByRole('button', { name: /POST/ }).click();
    const drawer = page.getByRole('dialog', { name: 'Request' });
    await drawer.getByText('[card ••••1111]').waitFor();
    await drawer.getByText('[redacted]').waitFor();
    await drawer.getByRole('tab', { name: 'Answer' }).click();
    await drawer.getByRole('region', { name: 'Answer' }).getByText('"livemode"').waitFor();
    // Only as a separate word, because times and random ids may contain these digits.
    expect(await page.content()).not.toMatch(/(?<![0-9a-z])9172(?![0-9a-z])/i);
    await opened.expectAccessible();
    await page.goto(`${target().baseUrl}/dashboard/${shop.id}/developers/logs?search=${id}`);
    await page.getByText('1 request', { exact: true }).waitFor();
    await page.goto(`${target().baseUrl}/dashboard/${shop.id}/developers/logs?search=req_none`);
    await page.getByText('No request matches').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await page.getByText(/ requests$/).waitFor();
    await opened.expectAccessible();
  });

  it('show new requests as they come', async () => {
    const { page } = await open('/developers/logs?status=4xx&method=DELETE');
    await page.getByText('No request matches').waitFor();
    await shop.call('DELETE', '/api/v1/payment_methods/pm_000000000000000000000000');
    await page.getByRole('row', { name: /404 Not found/ }).waitFor();
  });
});

describe('the events', () => {
  it('show the event’s body and link to the object', async () => {
    const { body: payment } = await shop.pay({ reference: payload });
    const opened = await open(`/developers/events?search=${payment.id}`);
    const { page } = opened;
    await page.getByRole('button', { name: 'payment.succeeded' }).press('Enter');
    const drawer = page.getByRole('dialog', { name: 'Event' });
    await drawer.getByRole('region', { name: 'Event' }).getByText('onerror').waitFor();
    await drawer.getByText('It was sent nowhere').waitFor();
    await opened.expectAccessible();
    await drawer.getByRole('link', { name: payment.id }).press('Enter');
    await opened.until(`location.pathname.endsWith('/payments/${payment.id}')`);
  });

  it('are open to viewers, on a phone too', async () => {
    const opened = await open('/developers/events', viewer, { width: 320 });
    const { page } = opened;
    await page.getByRole('button', { name: 'payment.succeeded' }).first().click();
    const drawer = page.getByRole('dialog', { name: 'Event' });
    await drawer.getByRole('region', { name: 'Event' }).waitFor();
    expect(await drawer.getByRole('button', { name: 'Resend' }).count()).toBe(0);
    await opened.expectAccessible();
    await page.keyboard.press('Escape');
    await opened.untilFocusOn('payment.succeeded');
    await opened.expectAccessible();
  });
});
