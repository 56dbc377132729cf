import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { Browser } from '../support/dashboard.ts';
import { migratedDatabase } from '../support/fresh-database.ts';
import { Merchant } from '../support/merchant.ts';
import { startServer, temporaryFolder } from '../support/server.ts';

const cleanUp = new CleanUp();
let shop: Merchant;
let owner: Browser;
let database: pg.Client;

beforeAll(async () => {
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  const url = await migratedDatabase(cleanUp);
  const server = await startServer({
    DATABASE_URL: url,
    TILL_DATA_DIR: folder.path,
    // With few connections, payments on a slow machine would wait for each other, as if they waited for a page.
    TILL_DATABASE_CONNECTIONS: '24',
    TILL_REQUESTS_WORKING: '100',
    TILL_DASHBOARD_CONNECTIONS: '2',
    TILL_DASHBOARD_READ_SECONDS: '1',
  });
  cleanUp.add(() => server.stop('SIGKILL'));
  shop = await Merchant.openAt(server);
  owner = await Browser.of(shop, 'owner', server);
  database = new pg.Client({ connectionString: url });
  database.on('error', () => {});
  await database.connect();
  cleanUp.add(() => database.end());
});
afterAll(cleanUp.run);

describe('pages whose queries never end', () => {
  it('time out without slowing payments', async () => {
    const outbox = `/accounts/${shop.id}/mails`;
    expect((await owner.get(outbox)).status).toBe(200);
    // From here on reads of the outbox block.
    await database.query('begin');
    await database.query('lock table mails in access exclusive mode');
    const given = Promise.all(Array.from({ length: 20 }, () => owner.get(outbox)));
    const paid = await Promise.all(Array.from({ length: 20 }, () => shop.pay()));
    expect(paid.map(({ status }) => status)).toEqual(paid.map(() => 201));
    const replies = await given;
    const codes = new Set(replies.map(({ body }) => body.error.code));
    expect(codes).toContain('read_too_long');
    expect([...codes].filter((code) => !['read_too_long', 'too_many_reads'].includes(code))).toEqual([]);
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 503));
    await database.query('rollback');
    expect((await owner.get(outbox)).status).toBe(200);
  });
});
