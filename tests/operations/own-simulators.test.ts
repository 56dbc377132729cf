import { checkoutVersion } from '@till/sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { runConnections } from '../support/connections.ts';
import { migratedDatabase } from '../support/fresh-database.ts';
import { Merchant } from '../support/merchant.ts';
import { type RunningServer, startServer, temporaryFolder } from '../support/server.ts';
import { serveProcessorA, serveProcessorB } from '../support/simulated-processor.ts';
import { until } from '../support/until.ts';

const cleanUp = new CleanUp();
let server: RunningServer;

beforeAll(async () => {
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  server = await startServer({
    DATABASE_URL: await migratedDatabase(cleanUp),
    TILL_DATA_DIR: folder.path,
    TILL_PROCESSOR_TIMEOUT_MS: '5000',
  });
  cleanUp.add(() => server.stop('SIGKILL'));
});
afterAll(cleanUp.run);

const credentialsA = {
  api_key: 'AQE-key-of-the-shop',
  merchant_account: 'ShopCOM',
  hmac_key: 'ab'.repeat(32),
  notification_user: 'till',
  notification_password: 'secret',
};

describe('till connections set against our own simulators', () => {
  it('is checked at processor_a, and payments are charged there', async () => {
    const processor = await serveProcessorA(cleanUp);
    const shop = await Merchant.openAt(server, 'processor_a');
    const baseUrl = `${processor.baseUrl}/${checkoutVersion}`;
    const place = ['--account', shop.id, '--base-url', baseUrl];
    const set = await runConnections(server, credentialsA, 'set', ...place);
    expect(set, set.printed).toMatchObject({ exitCode: 0, value: { base_url: baseUrl } });
    const checked = await runConnections(server, '', 'check', '--account', shop.id);
    expect(checked.value).toMatchObject({
      ok: true,
      checks: [
        { check: 'API key and merchant account', ok: true },
        { check: 'cards', ok: true },
      ],
    });
    await until('the server charges there', async () => {
      const paid = await shop.pay();
      const { charges } = await processor.ledger('ShopCOM');
      return charges.some(({ reference }) => reference === paid.body.id);
    });
  });

  it('is checked at processor_b: its client, and the URL of its webhook', async () => {
    const processor = await serveProcessorB(cleanUp);
    const shop = await Merchant.openAt(server, 'processor_b');
    const credentials = {
      client_id: 'MERCHANTONE',
      client_secret: 'secret-of-the-app',
      merchant_id: 'MERCHANTONE',
      webhook_id: processor.webhookId,
    };
    const place = ['--account', shop.id, '--base-url', processor.baseUrl];
    const astray = await runConnections(server, credentials, 'set', ...place);
    expect(astray).toMatchObject({
      exitCode: 1,
      value: { error: { code: 'connection_refused', message: expect.stringContaining('webhook') } },
    });
    processor.setWebhookUrl(`https://pay.example/processors/b/notifications/${shop.id}`);
    const unknown = await runConnections(server, { ...credentials, webhook_id: '0AB' }, 'set', ...place);
    expect(unknown.value).toMatchObject({
      error: { message: expect.stringContaining('no webhook has this id') },
    });
    const set = await runConnections(server, credentials, 'set', ...place);
    expect(set, set.printed).toMatchObject({ exitCode: 0, value: { merchant_id: 'MERCHANTONE' } });
  });
});
