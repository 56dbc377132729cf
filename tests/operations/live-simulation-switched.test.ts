import { afterAll, beforeAll, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { runConnections } from '../support/connections.ts';
import { migratedDatabase } from '../support/fresh-database.ts';
import { Merchant } from '../support/merchant.ts';
import { commandJson, type RunningServer, startServer, temporaryFolder } from '../support/server.ts';
import { type SimulatedProcessor, serveProcessorB } from '../support/simulated-processor.ts';
import { until } from '../support/until.ts';

const cleanUp = new CleanUp();
let dataDir: string;
let databaseUrl: string;
let server: RunningServer;
let processor: SimulatedProcessor;
let shop: Merchant;

const merchant = 'MERCHANTONE';

/** Restarts the server on the same data. */
async function start(liveSimulation: 'on' | 'off'): Promise<void> {
  if (server !== undefined) await server.stop();
  server = await startServer({
    DATABASE_URL: databaseUrl,
    TILL_DATA_DIR: dataDir,
    TILL_PROCESSOR_TIMEOUT_MS: '5000',
    TILL_LIVE_SIMULATION: liveSimulation,
  });
}

const hold = async () => {
  const held = await shop.at(server).pay({ capture_method: 'manual' });
  expect(held.body).toMatchObject({ status: 'authorized', livemode: true });
  return held.body.id as string;
};
const cancel = (id: string) => shop.at(server).post(`/api/v1/payments/${id}/void`);
const refusedAs = (name: string) => ({
  status: 422,
  body: { error: { code: 'provider_not_configured', message: expect.stringContaining(name) } },
});

beforeAll(async () => {
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  databaseUrl = await migratedDatabase(cleanUp);
  cleanUp.add(() => server.stop('SIGKILL'));
  dataDir = folder.path;
  processor = await serveProcessorB(cleanUp);
  await start('on');
  shop = await Merchant.openAt(server, 'processor_b', '--environment', 'live', '--three-d-secure', 'off');
  await commandJson(server.environment, ['accounts', 'update', shop.id, '--activation', 'active']);
});
afterAll(cleanUp.run);

it('payments of the simulator are not asked of the processor, nor the reverse, when simulation is switched', async () => {
  const simulated = await hold();
  await start('off');
  const credentials = {
    client_id: merchant,
    client_secret: 'secret-of-the-app',
    merchant_id: merchant,
    webhook_id: processor.webhookId,
  };
  const place = ['--account', shop.id, '--live', '--base-url', processor.baseUrl];
  processor.setWebhookUrl(`https://pay.example/processors/b/notifications/${shop.id}`);
  expect((await runConnections(server, credentials, 'set', ...place)).exitCode).toBe(0);
  await until(
    'the server uses them',
    async () => (await shop.at(server).pay({ amount: 100 })).status === 201,
  );
  expect(await cancel(simulated)).toMatchObject(refusedAs('the simulator'));
  const real = await hold();

  await start('on');
  expect(await cancel(real)).toMatchObject(refusedAs(merchant));
  const ledger = await processor.ledger(merchant);
  expect(ledger.charges).toContainEqual(expect.objectContaining({ reference: real, status: 'authorized' }));
  expect((await cancel(simulated)).body.status).toBe('voided');
});
