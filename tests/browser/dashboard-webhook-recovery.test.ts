import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebhookReceiver } from '../acceptance/webhooks/webhooks-receiver.ts';
import { CleanUp } from '../support/clean-up.ts';
import { Browser } from '../support/dashboard.ts';
import { migratedDatabase } from '../support/fresh-database.ts';
import { Merchant, type Target } from '../support/merchant.ts';
import { commandJson, startServer, temporaryFolder } from '../support/server.ts';
import { until } from '../support/until.ts';
import { type OpenPage, startBrowser, type TestBrowser, type View } from './harness.ts';

/**
 * The staff after an outage of their receiver, with the schedule of hours that operators use, and the settings of an
 * endpoint.
 */
const cleanUp = new CleanUp();
let browser: TestBrowser;
let place: Target & { readonly environment: NodeJS.ProcessEnv };
let receiver: WebhookReceiver;

beforeAll(async () => {
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  const server = await startServer({
    DATABASE_URL: await migratedDatabase(cleanUp),
    TILL_DATA_DIR: folder.path,
    TILL_WEBHOOK_ALLOW_CIDRS: '127.0.0.1',
    TILL_WEBHOOK_SCHEDULE: '1h,1h',
  });
  cleanUp.add(() => server.stop());
  place = server;
  browser = await startBrowser();
  cleanUp.add(browser.close);
  receiver = await WebhookReceiver.open();
  cleanUp.add(() => receiver.close());
});
afterAll(cleanUp.run);

async function addEndpoint(shop: Merchant, path: string): Promise<string> {
  const asked = ['create', '--account', shop.id, '--url', receiver.url(path), '--name', 'Orders'];
  return (await commandJson<{ id: string }>(place.environment, ['webhooks', ...asked])).id;
}

async function open(shop: Merchant, staff: Browser, path: string, view?: View): Promise<OpenPage> {
  const opened = await browser.open(place.baseUrl, undefined, view);
  const [name = '', value = ''] = (staff.cookie ?? '').split('=');
  await opened.context.addCookies([{ name, value, url: place.baseUrl }]);
  await opened.page.clock.install();
  await opened.page.goto(`${place.baseUrl}/dashboard/${shop.id}${path}`);
  return opened;
}

it('what waits is offered at the first success after failures, and is sent by one click', async () => {
  const shop = await Merchant.openAt(place);
  const developer = await Browser.of(shop, 'developer', place);
  const id = await addEndpoint(shop, '/orders');
  receiver.answer = () => ({ status: 503 });
  const { body: payment } = await shop.pay();
  await shop.pay();
  const read = () => developer.get(`/accounts/${shop.id}/webhook_endpoints/${id}`);
  await until('both failed once', async () => (await read()).body.health.retrying === 2);

  const opened = await open(shop, developer, `/payments/${payment.id}`);
  const { page } = opened;
  // The link leads from the payment to its delivery.
  await page.getByRole('link', { name: 'Orders', exact: true }).click();
  await page.getByRole('dialog', { name: 'Delivery' }).getByText('Attempt 1').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('1 delivery', { exact: true }).waitFor();
  await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor();
  await page.getByRole('heading', { name: '2 deliveries waiting.' }).waitFor();
  await opened.expectAccessible();

  receiver.answer = () => ({ status: 200 });
  await page.getByRole('button', { name: 'Send test event', disabled: false }).click();
  await opened.fastForwardUntil(
    page.getByRole('heading', { name: 'Your receiver answers again. 2 deliveries waiting.' }),
  );
  await opened.expectAccessible();
  await page.getByRole('button', { name: 'Choose which…' }).click();
  const choice = page.getByRole('dialog', { name: 'Send waiting and failed deliveries' });
  await choice.getByText('2 deliveries (2 waiting, 0 failed)').waitFor();
  await choice.getByLabel('Type').selectOption('refund.failed');
  await choice.getByText('No delivery of these events waits').waitFor();
  await opened.expectAccessible();
  await choice.getByRole('checkbox', { name: 'Also what was delivered' }).check();
  await choice.getByText('Every event of that time').waitFor();
  await opened.expectAccessible();
  await page.keyboard.press('Escape');
  const offer = page.getByRole('button', { name: 'Send all now' });
  // The response may arrive when nothing waits any more, and the offer is gone.
  await page.route('**/recover', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    const response = await route.fetch();
    await offer.waitFor({ state: 'detached' });
    await route.fulfill({ response });
  });
  await offer.click();
  const progress = page.getByRole('dialog', { name: 'Sending what waits' });
  await opened.fastForwardUntil(progress.getByText('All of them were delivered.'));
  await opened.expectAccessible();
  await progress.getByRole('button', { name: 'Close' }).last().click();
  await opened.fastForwardUntil(page.getByText('Nothing waits'));
  expect(await page.getByText('answers again').count()).toBe(0);
  expect(opened.faults()).toEqual({ errors: [], policy: [], foreign: [] });
});

it('an endpoint gets the types that are chosen, and says until when two secrets sign, on a phone', async () => {
  const shop = await Merchant.openAt(place);
  const developer = await Browser.of(shop, 'developer', place);
  const id = await addEndpoint(shop, '/chosen');
  const opened = await open(shop, developer, `/developers/webhooks/${id}`, { width: 320 });
  const { page } = opened;
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Change…' }).click();
  const form = page.getByRole('dialog', { name: 'Change the endpoint' });
  await form.getByRole('switch', { name: 'Only some types' }).click();
  await form.getByRole('checkbox', { name: 'payment.*' }).uncheck();
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText('Choose at least one type.').waitFor();
  await form.getByRole('checkbox', { name: 'refund.failed' }).check();
  await form.getByRole('radio', { name: 'Its id alone' }).check();
  await form
    .getByLabel('When the secret is rolled')
    .selectOption({ label: 'Both secrets sign for 24 hours' });
  await opened.expectAccessible();
  await form.getByRole('button', { name: 'Save' }).click();
  await form.waitFor({ state: 'detached' });
  await page.getByText('refund.failed', { exact: true }).waitFor();
  await page.getByText('(thin)').waitFor();
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Roll signing secret…' }).click();
  await page.getByText('Both secrets sign for 24 hours.').waitFor();
  await opened.expectAccessible();
  await page.getByRole('button', { name: 'Roll secret' }).click();
  await page.getByRole('button', { name: 'I have saved it' }).click();
  await page.getByText('The former one signs too until').waitFor();
  await opened.expectAccessible();
  expect(opened.faults()).toEqual({ errors: [], policy: [], foreign: [] });
});

it('an endpoint is shown and paused where its deliveries cannot be counted in time', async () => {
  const shop = await Merchant.openAt(place);
  const developer = await Browser.of(shop, 'developer', place);
  await addEndpoint(shop, '/flooded');
  const opened = await open(shop, developer, '/developers/webhooks');
  const { page } = opened;
  await page.route(/\/webhook_endpoints(\/we_\w+)?$/, async (route) => {
    if (route.request().method() !== 'GET') return route.continue();
    const response = await route.fetch();
    const answer = await response.json();
    const uncounted = (endpoint: object) => ({ ...endpoint, health: null });
    const json = 'data' in answer ? { data: answer.data.map(uncounted) } : uncounted(answer);
    return route.fulfill({ response, json });
  });
  await page.reload();
  await page.getByText('Too many to count').first().waitFor();
  await opened.expectAccessible();
  await page.getByRole('link', { name: /flooded/ }).click();
  await page.getByText('There are too many to be counted').waitFor();
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Roll signing secret…' }).click();
  await page.getByText('Deliveries that still wait will carry the new signature.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Pause' }).click();
  await page.getByText('Somebody paused it.').waitFor();
  await opened.expectAccessible();
  expect(opened.faults()).toEqual({ errors: [], policy: [], foreign: [] });
});
