import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { expectEnvelope } from '../support/expect-error.ts';
import { migratedDatabase, queryDatabase } from '../support/fresh-database.ts';
import { cardPayment, Merchant, type Reply } from '../support/merchant.ts';
import { type RunningServer, startServer, temporaryFolder } from '../support/server.ts';
import { until } from '../support/until.ts';

const cleanUp = new CleanUp();
let databaseUrl: string;
let dataDir: string;
let server: RunningServer;
let shop: Merchant;

const start = async (settings: Readonly<Record<string, string>>): Promise<RunningServer> => {
  const started = await startServer({
    DATABASE_URL: databaseUrl,
    TILL_DATA_DIR: dataDir,
    TILL_RATE_LIMIT_RPS: '0',
    ...settings,
  });
  cleanUp.add(() => started.stop('SIGKILL'));
  return started;
};

beforeAll(async () => {
  databaseUrl = await migratedDatabase(cleanUp);
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  dataDir = folder.path;
  server = await start({
    TILL_REQUESTS_WORKING: '2',
    TILL_REQUESTS_QUEUED: '2',
    TILL_REQUESTS_RESERVED: '0',
    // Jobs that wait for a locked table must not use up the connections that /readyz needs.
    TILL_DATABASE_CONNECTIONS: '20',
  });
  shop = await Merchant.openAt(server);
});
afterAll(cleanUp.run);

let release = async () => {};
// A failed test must not leave its lock to the next one.
afterEach(() => release());

/** Locks tables against all access until `release` is called. */
async function lockTable(table: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => {});
  await client.connect();
  await client.query('begin');
  await client.query(`lock table ${table} in access exclusive mode`);
  release = () => client.end();
}

/** Counts the connections of a server that wait for a lock. */
const waitingForLocks = (place: RunningServer) =>
  queryDatabase<{ waiting: number }>(
    databaseUrl,
    `select count(*)::int as waiting from pg_stat_activity
     where application_name = $1 and wait_event_type = 'Lock'`,
    [`till serve, process ${place.process.pid}`],
  ).then(([row]) => row?.waiting ?? 0);

const idempotent = (seller: Merchant, keys: readonly string[]) =>
  keys.map((key) => seller.pay({ reference: key }, { idempotencyKey: key }));

function expectRefused(reply: Reply): void {
  expect(reply.status).toBe(503);
  expect(reply.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  expectEnvelope(reply);
  expect(reply.body.error).toMatchObject({ type: 'api_error', code: 'service_unavailable' });
}

const health = async (place: RunningServer) =>
  Promise.all(['/healthz', '/readyz'].map(async (path) => (await fetch(`${place.baseUrl}${path}`)).status));

describe('more requests than the limits of work and queue', () => {
  it('are refused at once with 503 and charge nothing; later ones are served', async () => {
    await lockTable('operations');
    const keys = Array.from({ length: 12 }, (_, index) => `crowd-${index}`);
    const sent = idempotent(shop, keys);
    let refused = 0;
    for (const reply of sent) void reply.then(({ status }) => (refused += status === 503 ? 1 : 0));
    // Two requests are executed and two are queued. The others are refused at once, although the database still does not respond.
    await until('eight refusals', () => refused >= 8);
    await until('what is worked on waits', async () => (await waitingForLocks(server)) > 0);
    expect(await health(server)).toEqual([200, 200]);
    await release();
    const replies = await Promise.all(sent);
    const isPaid = ({ status }: Reply) => status === 201;
    // On a slow machine the two queued requests may have timed out after one second.
    expect(replies.filter(isPaid).length).toBeGreaterThanOrEqual(2);
    for (const reply of replies.filter((one) => !isPaid(one))) expectRefused(reply);

    const paid = replies.filter(isPaid).map(({ body }) => body.id);
    const charged = (await shop.ledger()).charges.map(({ reference }) => reference);
    expect(charged.sort()).toEqual(paid.sort());

    const again: Reply[] = [];
    for (const reply of idempotent(shop, keys.slice(0, 2))) again.push(await reply);
    for (const key of keys.slice(2)) again.push(await shop.pay({ reference: key }, { idempotencyKey: key }));
    expect(again.map(({ status }) => status)).toEqual(keys.map(() => 201));
    expect((await shop.ledger()).charges).toHaveLength(keys.length);
  });
});

describe('a burst of 500 payments on an idle server', () => {
  it('is served whole: every request waits and is charged once', async () => {
    const idle = await start({});
    const sellers = await Promise.all(Array.from({ length: 5 }, () => Merchant.openAt(idle)));
    const keys = Array.from({ length: 100 }, (_, index) => `burst-${index}`);
    const send = async (seller: Merchant) => Promise.all(idempotent(seller, keys));
    const replies = (await Promise.all(sellers.map(send))).flat();
    // The rule that none is refused is tested on a clock of its own (http/admission): if this machine stalls for a second,
    // requests that waited for so long are refused.
    for (const reply of replies.filter(({ status }) => status !== 201)) expectRefused(reply);
    for (const seller of sellers) {
      for (const key of keys) {
        const settled = await seller.pay({ reference: key }, { idempotencyKey: key });
        expect(settled.status).toBe(201);
      }
      expect((await seller.ledger()).charges).toHaveLength(keys.length);
    }
  });
});

describe('a slow processor', () => {
  it('takes no place from other requests', async () => {
    const one = await start({
      TILL_REQUESTS_WORKING: '1',
      TILL_REQUESTS_QUEUED: '0',
      TILL_REQUESTS_RESERVED: '0',
      TILL_REQUESTS_OPEN: '2',
    });
    const seller = shop.at(one);
    const slow = seller.pay({ reference: 'slow', card: { holder_name: 'SIM-SLOW' } });
    await until('the slow payment is with the processor', async () => {
      const rows = await queryDatabase(
        databaseUrl,
        `select from operations where draft ->> 'reference' = 'slow'`,
      );
      return rows.length > 0;
    });
    await until('its place is free', async () => (await seller.pay()).status === 201);
    expect((await slow).status).toBe(201);
  });
});

describe('a pool without a free connection', () => {
  it('answers 503 within a second or as soon as a statement took too long, and recovers by itself', async () => {
    // The statements must still be blocked when `others` are refused, even if the machine stalls for a while.
    const poor = await start({ TILL_DATABASE_CONNECTIONS: '3', TILL_DATABASE_STATEMENT_SECONDS: '8' });
    const seller = shop.at(poor);
    await lockTable('customers, payments, operations');
    const stuck = [
      seller.post('/api/v1/customers', { email: 'pool-1@shop.example' }),
      seller.pay({ reference: 'pool' }),
    ];
    await until('both connections wait', async () => (await waitingForLocks(poor)) >= 2);
    const others = await Promise.all([
      seller.get('/api/v1/events'),
      seller.get('/api/v1/payments/pay_000000000000000000000000'),
      seller.post('/api/v1/payments', cardPayment()),
    ]);
    for (const reply of [...others, ...(await Promise.all(stuck))]) expectRefused(reply);
    await release();
    await until('it answers again', async () => (await seller.get('/api/v1/events')).status === 200);
    expect((await seller.pay({ reference: 'after' })).status).toBe(201);
    const references = await queryDatabase<{ reference: string }>(
      databaseUrl,
      `select reference from payments where reference in ('pool', 'after')`,
    );
    expect(references).toEqual([{ reference: 'after' }]);
  });
});
