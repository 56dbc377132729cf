import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CleanUp } from '../../support/clean-up.ts';
import { Browser } from '../../support/dashboard.ts';
import { migratedDatabase } from '../../support/fresh-database.ts';
import { Merchant } from '../../support/merchant.ts';
import { commandJson, type RunningServer, startServer, temporaryFolder } from '../../support/server.ts';
import { totpCode } from '../../support/totp.ts';
import { until } from '../../support/until.ts';
import { WebhookReceiver } from '../webhooks/webhooks-receiver.ts';

const cleanUp = new CleanUp();
let server: RunningServer;
let receiver: WebhookReceiver;

/** A server that may send webhooks to this machine. */
beforeAll(async () => {
  receiver = await WebhookReceiver.open();
  cleanUp.add(() => receiver.close());
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  server = await startServer({
    DATABASE_URL: await migratedDatabase(cleanUp),
    TILL_DATA_DIR: folder.path,
    TILL_WEBHOOK_ALLOW_CIDRS: '127.0.0.1',
  });
  cleanUp.add(() => server.stop());
});
afterAll(cleanUp.run);

it('the first steps are ticked off one by one, by what really happened', async () => {
  const shop = await Merchant.openAt(server, 'processor_b');
  const owner = await Browser.of(shop, 'owner', server);
  const at = (rest: string) => `/accounts/${shop.id}${rest}`;
  const sandbox = (body: object) =>
    owner.post(
      at('/sandbox/payments'),
      { amount: 4990, currency: 'EUR', ...body },
      { idempotencyKey: randomUUID() },
    );
  const doneSteps = async (): Promise<string[]> => {
    const { steps } = (await owner.get(at('/home'))).body.checklist;
    return steps.flatMap(({ id, done }: { id: string; done: boolean }) => (done ? [id] : []));
  };
  const done: string[] = [];
  const expectNext = async (step: string) => {
    done.push(step);
    await until(step, async () => (await doneSteps()).includes(step));
    expect(await doneSteps()).toEqual(done);
  };
  expect(await doneSteps()).toEqual([]);

  const { id } = (await sandbox({})).body;
  await expectNext('test_payment');
  await sandbox({ trigger: { field: 'payment_method.holder_name', value: 'CCREJECT-REFUSED' } });
  await expectNext('test_decline');

  receiver.answer = () => ({ status: 500 });
  const endpoint = await owner.post(at('/webhook_endpoints'), {
    url: receiver.url('/hooks'),
    additional_events: false,
  });
  expect(endpoint.status).toBe(201);
  await sandbox({});
  await until('a refused webhook', () => receiver.received.length > 0);
  expect(await doneSteps()).toEqual(done);
  receiver.answer = () => ({ status: 200 });
  await sandbox({});
  await expectNext('webhook');

  const refund = await owner.post(
    at(`/payments/${id}/refunds`),
    { amount: 100 },
    { idempotencyKey: randomUUID() },
  );
  expect(refund.status).toBe(201);
  await expectNext('test_refund');

  // Looking at the settings is not a decision; saving them unchanged is one.
  await owner.get(at('/settings/branding'));
  expect(await doneSteps()).toEqual(done);
  const kept = { display_name: null, colour: null, default_locale: null };
  expect((await owner.call('PATCH', at('/settings/branding'), { body: kept })).body.saved).toBe(true);
  await expectNext('branding');

  const { secret } = (await owner.post('/security/totp')).body;
  expect(await doneSteps()).toEqual(done);
  expect((await owner.post('/security/totp/activate', { code: totpCode(secret) })).status).toBe(200);
  await expectNext('two_factor');

  await commandJson(server.environment, ['accounts', 'update', shop.id, '--activation', 'active']);
  const { stopping_keys: keys } = (await owner.get(at('/environment'))).body;
  const seen = keys.map((key: { id: string }) => key.id);
  // Only the operator's command can skip requirements that are not met.
  const { ready, requirements } = (await owner.get(at('/go_live'))).body;
  const missing = requirements.filter((one: { done: boolean }) => !one.done);
  expect([ready, missing.map((one: { id: string }) => one.id)]).toEqual([
    false,
    ['credentials', 'processor_check', 'https', 'mail'],
  ]);
  const body = { environment: 'live', name: 'Test shop', keys: seen };
  const refused = await owner.post(at('/environment'), body);
  expect([refused.status, refused.body.error.code]).toEqual([422, 'processing_not_enabled']);
  await commandJson(server.environment, ['accounts', 'update', shop.id, '--environment', 'live']);
  await expectNext('go_live');
});
