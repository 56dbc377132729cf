import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask, type ServerPair, startPair } from '../../packages/server/src/store/reach/test-servers.ts';
import { CleanUp } from '../support/clean-up.ts';
import { Browser } from '../support/dashboard.ts';
import { Merchant } from '../support/merchant.ts';
import { commandJson, type RunningServer, startServer, temporaryFolder } from '../support/server.ts';
import { until } from '../support/until.ts';

const cleanUp = new CleanUp();
let pair: ServerPair;
let server: RunningServer;
let shop: Merchant;
let dataDir: string;

beforeAll(async () => {
  pair = await startPair();
  cleanUp.add(() => pair.remove());
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  dataDir = folder.path;
  server = await startServer({ DATABASE_URL: pair.url, TILL_DATA_DIR: dataDir });
  cleanUp.add(() => server.stop('SIGKILL'));
  shop = await Merchant.openAt(server);
}, 60_000);
afterAll(cleanUp.run);

it('lists are read from the standby and say how old they are, and nobody misses what they have just done', async () => {
  const reader = await startServer({
    DATABASE_URL: pair.url,
    TILL_DATA_DIR: dataDir,
    TILL_READ_DATABASE_URL: `postgres://till@127.0.0.1:${pair.standby.port},127.0.0.1:${pair.leader.port}/till`,
    // Longer than a payment and a list take even on a slow machine. `until` waits for it to pass.
    TILL_READ_LAG_SECONDS: '10',
  });
  cleanUp.add(() => reader.stop('SIGKILL'));
  const merchant = await Merchant.openAt(reader);
  const person = await Browser.of(merchant, 'owner', reader);
  const session = person.cookie;
  const list = async () => {
    const { body, headers } = await person.get(`/accounts/${merchant.id}/payments`);
    return { total: (body as { total_count: number }).total_count, age: headers.get('till-data-age') };
  };
  await merchant.pay();
  await until('the list is read from the standby', async () => (await list()).age !== null);
  await until('it has the payment', async () => (await list()).total === 1);
  await ask(pair.standby.port, 'select pg_wal_replay_pause()');
  await merchant.pay();
  expect(await list()).toEqual({ total: 1, age: expect.stringMatching(/^(?:\d|10)$/) as string });
  expect((await person.post(`/accounts/${merchant.id}/home/checklist`, { hidden: true })).status).toBe(200);
  person.cookie = `${session}; ${person.cookie}`;
  expect(await list()).toEqual({ total: 2, age: null });
  person.cookie = session;
  await until('it lags too much', async () => (await list()).age === null);
  expect((await list()).total).toBe(2);
  await ask(pair.standby.port, 'select pg_wal_replay_resume()');
  await until('it is read again', async () => (await list()).age !== null);
  expect((await list()).total).toBe(2);
  expect(await reader.stop()).toBe(0);
}, 120_000);

const pay = (key: string) => shop.pay({ reference: key }, { idempotencyKey: key });

it('a server and its commands follow the leader; until one leads, payments get 503 and none is declined', async () => {
  const before = await shop.pay();
  await pair.leader.stop('SIGQUIT');
  const refused = await pay('while none leads');
  expect(refused.status).toBe(503);
  expect(refused.body.error.code).toBe('service_unavailable');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  // Meanwhile jobs fail many times too.
  await delay(3_000);
  await pair.standby.promote();
  const paid = await until('payments go on', async () => {
    const reply = await pay('while none leads');
    return reply.status === 201 && reply;
  });
  expect(paid.body.status).toBe('succeeded');
  expect((await shop.get(`/api/v1/payments/${before.body.id}`)).body).toEqual(before.body);
  const { charges } = await shop.ledger();
  expect(charges).toHaveLength(2);
  expect(await commandJson<{ data: unknown[] }>(server.environment, ['accounts', 'list'])).toHaveProperty(
    'data',
  );
  const messages = server
    .printed()
    .err.trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { level: string; msg: string })
    .filter(({ level }) => level === 'warn' || level === 'error')
    .map(({ msg }) => msg);
  expect(messages).toEqual(['the database is away', 'the database is back']);
  expect(await server.stop()).toBe(0);
});
