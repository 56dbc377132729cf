import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ServerPair, startPair } from '../../packages/server/src/store/reach/test-servers.ts';
import { CleanUp } from '../support/clean-up.ts';
import { Merchant } from '../support/merchant.ts';
import { commandJson, type RunningServer, startServer, temporaryFolder } from '../support/server.ts';
import { until } from '../support/until.ts';

const cleanUp = new CleanUp();
let pair: ServerPair;
let server: RunningServer;
let shop: Merchant;

beforeAll(async () => {
  pair = await startPair();
  cleanUp.add(() => pair.remove());
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  server = await startServer({ DATABASE_URL: pair.url, TILL_DATA_DIR: folder.path });
  cleanUp.add(() => server.stop('SIGKILL'));
  shop = await Merchant.openAt(server);
}, 60_000);
afterAll(cleanUp.run);

const pay = (key: string) => shop.pay({ reference: key }, { idempotencyKey: key });

it('a server and its commands follow the leader; until one leads, payments get 503 and none is declined', async () => {
  const before = await shop.pay();
  await pair.leader.stop('SIGQUIT');
  const refused = await pay('while none leads');
  expect(refused.status).toBe(503);
  expect(refused.body.error.code).toBe('service_unavailable');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  // Jobs meet it too, many times.
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
