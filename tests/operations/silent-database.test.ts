import { afterAll, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { databaseGate } from '../support/database-gate.ts';
import { migratedDatabase } from '../support/fresh-database.ts';
import { Merchant } from '../support/merchant.ts';
import { startServer, temporaryFolder } from '../support/server.ts';

const cleanUp = new CleanUp();
afterAll(cleanUp.run);

it('a server whose database says nothing any more answers 503, and ends when it is stopped', async () => {
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  const gate = await databaseGate(cleanUp, await migratedDatabase(cleanUp));
  const server = await startServer({
    DATABASE_URL: gate.url,
    TILL_DATA_DIR: folder.path,
    TILL_DATABASE_STATEMENT_SECONDS: '1',
  });
  cleanUp.add(() => server.stop('SIGKILL'));
  const shop = await Merchant.openAt(server, 'processor_b');
  gate.set('silent');
  expect(await shop.pay()).toMatchObject({ status: 503, body: { error: { code: 'service_unavailable' } } });
  // The server ends by itself. The exit code is 1 if jobs waited too long for their statements.
  expect([0, 1]).toContain(await server.stop());
});
