import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebhookReceiver } from '../acceptance/webhooks/webhooks-receiver.ts';
import { CleanUp } from '../support/clean-up.ts';
import { Browser } from '../support/dashboard.ts';
import { migratedDatabase } from '../support/fresh-database.ts';
import { Merchant, type Target } from '../support/merchant.ts';
import { commandJson, startServer, temporaryFolder } from '../support/server.ts';
import { until } from '../support/until.ts';
import { startBrowser, type TestBrowser } from './harness.ts';

/** Staff after an outage of their receiver, with the schedule of hours that operators have. */
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

it('what waits is offered at the first success after failures, and is sent by one click', async () => {
  const shop = await Merchant.openAt(place);
  const developer = await Browser.of(shop, 'developer', place);
  const { id } = await commandJson<{ id: string }>(place.environment, [
    'webhooks',
    'create',
    '--account',
    shop.id,
    '--url',
    receiver.url('/orders'),
    '--name',
    'Orders',
  ]);
  receiver.answer = () => ({ status: 503 });
  const { body: payment } = await shop.pay();
  await shop.pay();
  const read = () => developer.get(`/accounts/${shop.id}/webhook_endpoints/${id}`);
  await until('both failed once', async () => (await read()).body.retrying === 2);

  const opened = await browser.open(place.baseUrl);
  const { page } = opened;
  const [name = '', value = ''] = (developer.cookie ?? '').split('=');
  await opened.context.addCookies([{ name, value, url: place.baseUrl }]);
  await page.clock.install();
  await page.goto(`${place.baseUrl}/dashboard/${shop.id}/payments/${payment.id}`);
  // From the payment to its own delivery.
  await page.getByRole('link', { name: 'Orders', exact: true }).click();
  await page.getByRole('dialog', { name: 'Delivery' }).getByText('Attempt 1').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('1 delivery', { exact: true }).waitFor();
  await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor();
  await page.getByRole('heading', { name: '2 deliveries waiting.' }).waitFor();
  await opened.expectAccessible();

  receiver.answer = () => ({ status: 200 });
  await page.getByRole('button', { name: 'Send test event', disabled: false }).click();
  await opened.soon(
    page.getByRole('heading', { name: 'Your receiver answers again. 2 deliveries waiting.' }),
  );
  await opened.expectAccessible();
  await page.getByRole('button', { name: 'Choose which…' }).click();
  const choice = page.getByRole('dialog', { name: 'Send waiting and failed deliveries' });
  await choice.getByText('2 deliveries (2 waiting, 0 failed)').waitFor();
  await choice.getByLabel('Type').selectOption('refund.failed');
  await choice.getByText('No delivery of these events waits').waitFor();
  await opened.expectAccessible();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Send all now' }).click();
  const progress = page.getByRole('dialog', { name: 'Sending what waits' });
  await opened.soon(progress.getByText('All of them were delivered.'));
  await opened.expectAccessible();
  await progress.getByRole('button', { name: 'Close' }).last().click();
  await opened.soon(page.getByText('Nothing waits'));
  expect(await page.getByText('answers again').count()).toBe(0);
  expect(opened.faults()).toEqual({ errors: [], policy: [], foreign: [] });
});
