import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebhookReceiver } from '../acceptance/webhooks/webhooks-receiver.ts';
import { CleanUp } from '../support/clean-up.ts';
import { Browser } from '../support/dashboard.ts';
import { migratedDatabase } from '../support/fresh-database.ts';
import { Merchant, type Target } from '../support/merchant.ts';
import { commandJson, startServer, temporaryFolder } from '../support/server.ts';
import { until } from '../support/until.ts';
import { type OpenPage, startBrowser, type TestBrowser, type View } from './harness.ts';
import { holdBack } from './hold-back.ts';

/** Webhooks as developers see them in the browser, with a receiver on this machine. */
const cleanUp = new CleanUp();
const pages: OpenPage[] = [];
const payload = `<img src=x onerror="document.title='taken over'">`;
let browser: TestBrowser;
let place: Target;
let receiver: WebhookReceiver;
let shop: Merchant;
let developer: Browser;

beforeAll(async () => {
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  const server = await startServer({
    DATABASE_URL: await migratedDatabase(cleanUp),
    TILL_DATA_DIR: folder.path,
    TILL_WEBHOOK_ALLOW_CIDRS: '127.0.0.1',
    // A single retry without delay: a delivery that fails twice has failed for good.
    TILL_WEBHOOK_SCHEDULE: '10ms',
  });
  cleanUp.add(() => server.stop());
  place = server;
  browser = await startBrowser();
  cleanUp.add(browser.close);
  receiver = await WebhookReceiver.open();
  cleanUp.add(() => receiver.close());
});
afterAll(cleanUp.run);

beforeEach(async () => {
  shop = await Merchant.openAt(place);
  developer = await Browser.of(shop, 'developer', place);
  receiver.answer = () => ({ status: 200 });
});

afterEach(async () => {
  for (const opened of pages.splice(0)) {
    expect(opened.faults()).toEqual({ errors: [], policy: [], foreign: [] });
    expect(await opened.page.title()).not.toContain('taken over');
    await opened.close();
  }
});

async function open(path: string, view?: View): Promise<OpenPage> {
  const opened = await browser.open(place.baseUrl, undefined, view);
  pages.push(opened);
  const [name = '', value = ''] = (developer.cookie ?? '').split('=');
  await opened.context.addCookies([{ name, value, url: place.baseUrl }]);
  await opened.page.clock.install();
  await opened.page.goto(`${place.baseUrl}/dashboard/${shop.id}${path}`);
  return opened;
}

const kept = ({ page }: OpenPage) =>
  page.evaluate<string>(`JSON.stringify([document.documentElement.outerHTML, location.href, history.state,
    {...localStorage}, {...sessionStorage}])`);

/** Adds an endpoint with its own path on the receiver. */
async function addEndpoint(path: string): Promise<{ id: string; secret: string }> {
  const url = receiver.url(path);
  return commandJson(place.environment, ['webhooks', 'create', '--account', shop.id, '--url', url]);
}

/** Waits until every delivery has ended. */
const settled = (id: string) =>
  until('no delivery waits', async () => {
    const { body } = await developer.get(`/accounts/${shop.id}/webhook_endpoints/${id}`);
    return body.health.pending === 0 && body.health.attempted > 0;
  });

const signedBy = (secret: string, path: string) =>
  receiver.at(path).map(({ headers, body }) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    return (
      headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(content).digest('base64')}`
    );
  });

describe('a webhook endpoint', () => {
  it('is added by keyboard with a warning for http, and its secret is shown once and then nowhere', async () => {
    const opened = await open('/developers/webhooks');
    const { page } = opened;
    await page.getByText('No webhook endpoints yet').waitFor();
    await opened.expectAccessible();
    await page.getByRole('button', { name: 'Add endpoint', disabled: false }).press('Enter');
    const form = page.getByRole('dialog', { name: 'Add a webhook endpoint' });
    await form.getByLabel('Address').fill('shop.example');
    await page.keyboard.press('Enter');
    await form.getByText('Enter an address that begins with https:// or http://.').waitFor();
    await form.getByLabel('Address').fill(receiver.url('/added?q=<script>alert(1)</script>'));
    await form.getByText('This address is not encrypted').waitFor();
    await opened.expectAccessible();
    await page.keyboard.press('Enter');
    const reveal = page.getByRole('dialog', { name: 'Signing secret of the endpoint' });
    const secret = /whsec_[A-Za-z0-9+/=]+/.exec(await reveal.innerText())?.[0] ?? '';
    await opened.expectAccessible();
    await page.keyboard.press('Escape');
    await reveal.getByRole('button', { name: 'I have saved it' }).press('Enter');
    await reveal.waitFor({ state: 'detached' });
    await opened.untilFocusOn('Add endpoint');
    expect(await kept(opened)).not.toContain(secret);
    await page.getByText('Not encrypted').waitFor();
    await opened.expectAccessible();

    await page.getByRole('link', { name: /added/ }).press('Enter');
    await page.getByRole('button', { name: 'Send test event', disabled: false }).press('Enter');
    await opened.fastForwardUntil(page.getByRole('row', { name: /endpoint\.test Sandbox Delivered 200 OK/ }));
    expect(await kept(opened)).not.toContain(secret);
    await opened.expectAccessible();
  });

  it('keeps what somebody else changes while it is edited, and its late answer closes no other dialog', async () => {
    const { id } = await addEndpoint('/edited');
    const { page } = await open(`/developers/webhooks/${id}`);
    const choose = async (action: string) => {
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name: action }).click();
    };
    await choose('Change…');
    const dialog = page.getByRole('dialog', { name: 'Change the endpoint' });
    await dialog.getByLabel('Name').fill('Warehouse');
    const path = `/accounts/${shop.id}/webhook_endpoints/${id}`;
    const moved = { url: receiver.url('/moved') };
    expect((await developer.call('PATCH', path, { body: moved })).status).toBe(200);
    const release = await holdBack(page, `**/webhook_endpoints/${id}`);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.locator('[aria-disabled="true"]').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await choose('Delete…');
    const other = page.getByRole('dialog', { name: 'Delete this endpoint?' });
    await other.waitFor();
    release();
    await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
    expect(await other.isVisible()).toBe(true);
    expect((await developer.get(path)).body).toMatchObject({ ...moved, name: 'Warehouse' });
  });

  it('gets a new secret at once: what is sent later carries the new signature only', async () => {
    const { id, secret: old } = await addEndpoint('/roll');
    await shop.pay();
    await settled(id);
    const opened = await open(`/developers/webhooks/${id}`);
    const { page } = opened;
    await page.getByRole('button', { name: 'More' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Roll signing secret…' }).press('Enter');
    const confirm = page.getByRole('dialog', { name: 'Roll the signing secret?' });
    await confirm.getByText('The old secret stops immediately.').waitFor();
    await opened.expectAccessible();
    await confirm.getByRole('button', { name: 'Roll secret' }).press('Enter');
    const reveal = page.getByRole('dialog', { name: 'The new signing secret' });
    const secret = /whsec_[A-Za-z0-9+/=]+/.exec(await reveal.innerText())?.[0] ?? '';
    await reveal.getByRole('button', { name: 'I have saved it' }).press('Enter');
    await reveal.waitFor({ state: 'detached' });
    await opened.untilFocusOn('More');
    expect(await kept(opened)).not.toContain(secret);
    await shop.pay();
    await until('both events', () => receiver.at('/roll').length === 2);
    expect(signedBy(old, '/roll')).toEqual([true, false]);
    expect(signedBy(secret, '/roll')).toEqual([false, true]);
  });

  it('is paused, resumed and deleted, with an explanation of each', async () => {
    const { id } = await addEndpoint('/pause');
    const opened = await open(`/developers/webhooks/${id}`);
    const { page } = opened;
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Pause' }).click();
    await page.getByText('Somebody paused it.').waitFor();
    await shop.pay();
    await opened.fastForwardUntil(page.getByRole('row', { name: /payment\.succeeded Sandbox Pending/ }));
    await opened.expectAccessible();
    await page.getByRole('button', { name: 'Resume' }).click();
    await opened.fastForwardUntil(page.getByRole('row', { name: /payment\.succeeded Sandbox Delivered/ }));
    await page.getByRole('switch', { name: 'Additional events' }).click();
    await page.getByText('All types of events are sent now').first().waitFor();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await opened.expectAccessible();
    await page.getByRole('button', { name: 'Delete endpoint' }).click();
    await page.getByText('No webhook endpoints yet').waitFor();
    expect(new URL(page.url()).pathname).toBe(`/dashboard/${shop.id}/developers/webhooks`);
  });
});

describe('deliveries', () => {
  it('show request and response, and are resent one by one', async () => {
    receiver.answer = () => ({ status: 500, headers: { 'x-shop': payload }, body: payload });
    const { id, secret } = await addEndpoint('/one');
    const { body: payment } = await shop.pay({ reference: payload });
    await settled(id);
    const opened = await open(`/developers/webhooks/${id}`);
    const { page } = opened;
    const row = page.getByRole('row', { name: /payment\.succeeded Sandbox Failed 500 Server error/ });
    await row.getByRole('button').press('Enter');
    const drawer = page.getByRole('dialog', { name: 'Delivery' });
    await drawer.getByText('Attempt 2').waitFor();
    await drawer.getByRole('region', { name: 'Answer headers' }).getByText('x-shop').waitFor();
    await drawer.getByRole('region', { name: 'Answer body' }).getByText('onerror').waitFor();
    await opened.expectAccessible();
    await drawer.getByRole('tab', { name: 'Request' }).press('Enter');
    await drawer.getByRole('region', { name: 'Request body' }).getByText(payment.id).waitFor();
    await drawer.getByRole('tab', { name: 'Signature' }).press('Enter');
    const signature = receiver.at('/one').at(-1)?.headers['webhook-signature'] ?? 'none';
    expect(signedBy(secret, '/one')).toEqual([true, true]);
    await drawer.getByText(signature, { exact: true }).waitFor();
    await opened.expectAccessible();

    receiver.answer = () => ({ status: 204 });
    await drawer.getByRole('button', { name: 'Resend', disabled: false }).press('Enter');
    await opened.fastForwardUntil(drawer.getByText('Attempt 3'));
    await drawer.getByText('204 No content').waitFor();
    await page.keyboard.press('Escape');
    await opened.fastForwardUntil(
      page.getByRole('row', { name: /payment\.succeeded Sandbox Delivered 204/ }),
    );
  });

  it('that failed since a time are all resent, with progress', async () => {
    receiver.answer = () => ({ status: 503 });
    const { id } = await addEndpoint('/all');
    for (let n = 0; n < 3; n += 1) await shop.pay();
    await settled(id);
    receiver.answer = () => ({ status: 200 });
    const opened = await open(`/developers/webhooks/${id}`);
    const { page } = opened;
    await page.getByText('Failing', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Send waiting and failed…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Send waiting and failed deliveries' });
    await dialog.getByText('3 deliveries (0 waiting, 3 failed) will be sent once more').waitFor();
    await dialog.getByLabel('Events of').selectOption('custom');
    await dialog.getByText('Choose since when.').waitFor();
    await dialog.getByLabel('Since').fill('2099-01-01T00:00');
    await dialog
      .getByText('No delivery of these events waits for a later attempt or has failed for good.')
      .waitFor();
    await opened.expectAccessible();
    await dialog.getByLabel('Events of').selectOption({ label: 'the last hour' });
    await dialog.getByRole('button', { name: 'Send 3 again' }).press('Enter');
    await opened.fastForwardUntil(dialog.getByText('All of them were delivered.'));
    await dialog.getByText('3 of 3').waitFor();
    await opened.expectAccessible();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await opened.fastForwardUntil(page.getByRole('row', { name: /Delivered/ }).nth(2));
  });

  it('are filtered by the address, also on a phone', async () => {
    const { id } = await addEndpoint('/filter');
    await shop.pay();
    await shop.pay({ card: { holder_name: 'CCREJECT-REFUSED' } });
    await settled(id);
    const opened = await open(`/developers/webhooks/${id}?type=payment.failed`, { width: 320 });
    const { page } = opened;
    await page.getByText('1 delivery', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Remove filter Event' }).click();
    await page.getByText('2 deliveries', { exact: true }).waitFor();
    await opened.expectAccessible();
    await page.getByRole('list', { name: 'Deliveries' }).getByRole('button').first().click();
    await page.getByRole('dialog', { name: 'Delivery' }).getByText('Attempt 1').waitFor();
    await opened.expectAccessible();
  });
});

describe('an event', () => {
  it('is sent to an endpoint that was added after it', async () => {
    const { body: payment } = await shop.pay();
    await addEndpoint('/late');
    const opened = await open(`/developers/events?search=${payment.id}`);
    const { page } = opened;
    await page.getByRole('button', { name: 'payment.succeeded' }).click();
    const drawer = page.getByRole('dialog', { name: 'Event' });
    await drawer.getByText('It was sent nowhere').waitFor();
    await drawer.getByRole('button', { name: 'Resend', disabled: false }).press('Enter');
    await opened.fastForwardUntil(drawer.getByText('Delivered'));
    expect(receiver.at('/late')).toHaveLength(1);
    await opened.expectAccessible();
    await drawer.getByRole('link', { name: receiver.url('/late') }).click();
    await page.getByRole('dialog', { name: 'Delivery' }).getByText('Attempt 1').waitFor();
  });
});
