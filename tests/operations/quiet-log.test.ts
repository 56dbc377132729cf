import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { migratedDatabase } from '../support/fresh-database.ts';
import { freshEmail, Merchant } from '../support/merchant.ts';
import { commandJson, type RunningServer, startServer, temporaryFolder } from '../support/server.ts';
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

/** The log lines of the server that require attention. */
const alarms = () =>
  server
    .printed()
    .err.split('\n')
    .filter((line) => /"level":"(?:error|fatal)"|"stack"|^\s+at /.test(line));

describe('the log of a healthy server', () => {
  it('raises no alarm about a hold that was released because its capture was declined', async () => {
    const shop = await Merchant.openAt(server, 'processor_b');
    const changes = { capture_method: 'manual', description: 'SIM-HOLD-GUARANTEE-PASSED' };
    for (let count = 0; count < 5; count += 1) {
      const { body: held } = await shop.pay(changes);
      const captured = await shop.post(`/api/v1/payments/${held.id}/capture`);
      expect(captured.body).toMatchObject({ status: 'failed', failure: { code: 'declined' } });
      // The advanced clock makes the processor's notifications due before the hold is released.
      await shop.post('/api/v1/test_helpers/clock/advance', { seconds: 5 });
    }
    await until('the holds are released', async () => {
      const { charges } = await shop.ledger();
      return charges.length === 5 && charges.every(({ status }) => status === 'voided');
    });
    await shop.post('/api/v1/test_helpers/clock/advance', { seconds: 60 });
    await until('the notifications of them are applied', async () => {
      const { data: received } = await commandJson<{ data: { state: string }[] }>(server.environment, [
        'notifications',
        'list',
        '--account',
        shop.id,
      ]);
      return received.length >= 10 && received.every(({ state }) => state === 'applied');
    });
    expect(alarms()).toEqual([]);
  });

  it('has no alarm when it stops while requests and jobs are under way', async () => {
    const shop = await Merchant.openAt(server, 'processor_b');
    let isStopped = false;
    const client = async () => {
      // Requests after the server's end are refused, which is expected.
      while (!isStopped) await shop.pay({ customer: { email: freshEmail() } }).catch(() => null);
    };
    const clients = Array.from({ length: 8 }, client);
    await until('requests are answered', async () => {
      const { body } = await shop.get('/api/v1/payments');
      return body.total_count > 20;
    });
    const exitCode = await server.stop('SIGTERM');
    isStopped = true;
    await Promise.all(clients);
    expect(exitCode).toBe(0);
    expect(alarms()).toEqual([]);
  });
});
