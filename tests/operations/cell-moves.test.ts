import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { moveAccount } from '../../packages/server/src/cells/move/move.ts';
import type { MoveDependencies, Step } from '../../packages/server/src/cells/move/moving.ts';
import { movedTables, readCatalogue } from '../../packages/server/src/cells/move/tables.ts';
import { systemClock } from '../../packages/server/src/lib/clock.ts';
import { type Database, openDatabase } from '../../packages/server/src/store/database.ts';
import { CleanUp } from '../support/clean-up.ts';
import { migratedDatabase, queryDatabase } from '../support/fresh-database.ts';
import { Merchant } from '../support/merchant.ts';
import {
  commandJson,
  type RunningServer,
  runCommand,
  startServer,
  temporaryFolder,
} from '../support/server.ts';
import { until } from '../support/until.ts';

const cleanUp = new CleanUp();
afterAll(cleanUp.run);

let urls: Record<string, string>;
let settings: Record<string, string>;
let server: RunningServer;

const till = <T = Record<string, unknown>>(...words: string[]) => commandJson<T>(settings, words);

beforeAll(async () => {
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  urls = { home: await migratedDatabase(cleanUp), east: await migratedDatabase(cleanUp) };
  settings = { DATABASE_URL: urls.home ?? '', TILL_DATA_DIR: folder.path, TILL_RATE_LIMIT_RPS: '0' };
  server = await startServer(settings);
  cleanUp.add(() => server.stop('SIGKILL'));
  await till('cells', 'add', 'east', '--url', urls.east ?? '');
  const first = await Merchant.openAt(server, 'processor_b', '--cell', 'east');
  await until('the cell is served', async () => (await first.get('/api/v1/payments')).status === 200);
});

/** Rows of an account by table, those of its tenants included. */
async function rowsIn(cell: string, account: string): Promise<Record<string, number>> {
  const url = urls[cell] ?? '';
  const db = openDatabase({ url, connections: 1, applicationName: 'till test', onError: () => {} });
  try {
    const query = <Row>(statement: { readonly text: string; readonly values?: readonly unknown[] }) =>
      db.query<Row>({ ...statement, scope: 'everybody' });
    const counts: Record<string, number> = {};
    const tenants = await query<{ tenant: number }>({
      text: 'select unnest(array[test_tenant, live_tenant]) as tenant from account_cells where account_id = $1 union select tenant from tenants where account_id = $1',
      values: [account],
    });
    for (const { name, owner } of await movedTables({ query })) {
      const values =
        owner === 'tenant'
          ? tenants.map(({ tenant }) => tenant)
          : [account, ...(owner === 'merchant_account' ? [`${account}_live`] : [])];
      const [row] = await query<{ n: number }>({
        text: `select count(*)::int as n from ${name} where ${owner} = any ($1)`,
        values: [values],
      });
      if (row !== undefined && row.n > 0) counts[name] = row.n;
    }
    return counts;
  } finally {
    await db.close();
  }
}

/** A merchant's server that charges, captures and refunds until it is stopped, and repeats with the key after each 5xx. */
function load(shop: Merchant, clients: number, refunds: boolean) {
  let stopped = false;
  let longestMs = 0;
  const made: { readonly key: string; readonly id: string; readonly text: string }[] = [];
  const refused: string[] = [];
  const insist = async (path: string, body: object, key: string) => {
    for (;;) {
      const began = performance.now();
      const reply = await shop.post(path, body, { idempotencyKey: key });
      longestMs = Math.max(longestMs, performance.now() - began);
      if (reply.status < 500) return reply;
      if (reply.headers.get('retry-after') === null) refused.push(`${reply.status} without Retry-After`);
      await systemClock.delay(20);
    }
  };
  const client = async () => {
    while (!stopped) {
      const key = randomUUID();
      const body = {
        amount: 5000,
        currency: 'EUR',
        payment_method: card,
        capture_method: 'manual',
        success_url: 'https://shop.example/ok',
        failure_url: 'https://shop.example/no',
      };
      const paid = await insist('/api/v1/payments', body, key);
      if (paid.status !== 201) {
        refused.push(`${paid.status} ${paid.text}`);
        continue;
      }
      made.push({ key, id: paid.body.id, text: paid.text });
      const captured = await insist(`/api/v1/payments/${paid.body.id}/capture`, {}, randomUUID());
      if (captured.status >= 400) refused.push(captured.text);
      if (!refunds) continue;
      const refund = await insist(`/api/v1/payments/${paid.body.id}/refunds`, { amount: 1000 }, randomUUID());
      if (refund.status >= 400) refused.push(refund.text);
    }
  };
  const running = Promise.all(Array.from({ length: clients }, client));
  cleanUp.add(async () => {
    stopped = true;
    await running.catch(() => {});
  });
  return {
    made,
    refused,
    async stop() {
      stopped = true;
      await running;
      return longestMs;
    },
  };
}

const card = {
  type: 'card',
  number: '4111111111111111',
  exp_month: 3,
  exp_year: 2032,
  cvc: '737',
  holder_name: 'Jane Smith',
};

/** Whatever was acknowledged is where the account is, once, and nothing is left where it was. */
async function expectWhole(
  shop: Merchant,
  made: ReturnType<typeof load>['made'],
  cell: string,
  other: string,
) {
  const url = urls[cell] ?? '';
  const own = 'tenant in (select tenant from tenants where account_id = $1)';
  // A notification that was on its way is sent once more when its lease has ended.
  await until(
    'nothing is open',
    async () => {
      const open = await queryDatabase(url, `select 1 from operations where ${own}`, [shop.id]);
      return open.length === 0;
    },
    60_000,
  );
  const there = await queryDatabase<{ id: string }>(url, `select id from payments where ${own}`, [shop.id]);
  const ids = new Set(there.map(({ id }) => id));
  expect(made.filter(({ id }) => !ids.has(id))).toEqual([]);
  const { charges } = await shop.ledger();
  const references = charges.map(({ reference }) => reference);
  expect(new Set(references).size).toBe(references.length);
  expect(references.toSorted()).toEqual([...ids].toSorted());
  const [reconciled] = [
    await till<{ differences: unknown[]; compared: number }>('reconcile', '--account', shop.id),
  ];
  expect(reconciled).toMatchObject({ differences: [] });
  // A key that is repeated is answered from its record.
  for (const { key, text } of made.slice(-3)) {
    const again = await shop.post('/api/v1/payments', bodyOfLoad, { idempotencyKey: key });
    expect([again.status, again.text]).toEqual([201, text]);
  }
  const left = await rowsIn(other, shop.id);
  expect(left).toEqual({});
}

const bodyOfLoad = {
  amount: 5000,
  currency: 'EUR',
  payment_method: card,
  capture_method: 'manual',
  success_url: 'https://shop.example/ok',
  failure_url: 'https://shop.example/no',
};

describe('an account that moves while it takes payments', () => {
  it('loses nothing and does nothing twice, there and back', async () => {
    const shop = await Merchant.openAt(server, 'processor_b');
    const hook = await till('webhooks', 'create', '--account', shop.id, '--url', 'http://127.0.0.1:9/hook');
    const traffic = load(shop, 4, true);
    await until('it takes payments', async () => traffic.made.length > 10);
    for (const [to, from] of [
      ['east', 'home'],
      ['home', 'east'],
    ] as const) {
      const moved = await till<{ held_ms: number }>('accounts', 'move', shop.id, '--to', to);
      expect(moved.held_ms).toBeLessThan(5_000);
      const before = traffic.made.length;
      await until('it goes on', async () => traffic.made.length > before + 5);
      expect((await rowsIn(from, shop.id)).payments ?? 0).toBe(0);
    }
    expect(await traffic.stop()).toBeLessThan(15_000);
    expect(traffic.refused).toEqual([]);
    await expectWhole(shop, traffic.made, 'home', 'east');
    const endpoints = await till<{ data: { id: string }[] }>('webhooks', 'list', '--account', shop.id);
    expect(endpoints.data.map(({ id }) => id)).toEqual([hook.id]);
  }, 120_000);
});

const steps: readonly Step[] = [
  'noted',
  'copied',
  'held',
  'fenced',
  'committing',
  'arrived',
  'moved',
  'removed',
];

describe('a move that ends', () => {
  it.concurrent.each(steps)('after the step %s goes on when it is called again', async (step) => {
    const shop = await Merchant.openAt(server, 'processor_b');
    const traffic = load(shop, 1, false);
    await until('it takes payments', async () => traffic.made.length > 3);
    const broken = await breakOff(shop.id, step);
    await broken.end();
    const moved = await till('accounts', 'move', shop.id, '--to', 'east');
    expect(moved.cell).toBe('east');
    const before = traffic.made.length;
    await until('it goes on', async () => traffic.made.length > before + 2);
    await traffic.stop();
    expect(traffic.refused).toEqual([]);
    await expectWhole(shop, traffic.made, 'east', 'home');
  });
});

/** Begins a move that stands still after a step. `end` ends its connections, as the end of its process would. */
async function breakOff(accountId: string, at: Step) {
  const open = (url: string) =>
    openDatabase({ url, connections: 6, applicationName: `till broken move ${at}`, onError: () => {} });
  const databases: Record<string, Database> = { home: open(urls.home ?? ''), east: open(urls.east ?? '') };
  await new Promise<void>((resolve, reject) => {
    const deps: MoveDependencies = {
      home: databases.home as Database,
      clock: systemClock,
      open: async (cell) => databases[cell] as Database,
      onStep: (step) => {
        if (step !== at) return Promise.resolve();
        resolve();
        return new Promise(() => {});
      },
    };
    moveAccount(deps, accountId, 'east').catch(reject);
  });
  return {
    async end() {
      for (const url of Object.values(urls)) {
        await queryDatabase(
          url,
          `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'till broken move ${at}'`,
        );
      }
    },
  };
}

it('every table is at home, of each database, or moves with the account that its rows name', async () => {
  const db = openDatabase({
    url: urls.home ?? '',
    connections: 1,
    applicationName: 'till test',
    onError: () => {},
  });
  cleanUp.add(() => db.close());
  const query = <Row>(statement: { readonly text: string }) =>
    db.query<Row>({ ...statement, scope: 'everybody' });
  const names = (await readCatalogue({ query })).map(({ name }) => name);
  const moved = (await movedTables({ query })).map(({ name }) => name);
  expect(moved.length).toBeGreaterThan(30);
  expect(moved.filter((name) => !names.includes(name))).toEqual([]);
});

it('an account is moved by one process at a time, and to a cell that there is', async () => {
  const shop = await Merchant.openAt(server, 'processor_b');
  const broken = await breakOff(shop.id, 'copied');
  const code = async (...words: string[]) =>
    JSON.parse((await runCommand(settings, [...words, '--json'])).out).error.code;
  expect(await code('accounts', 'move', shop.id, '--to', 'east')).toBe('move_under_way');
  await broken.end();
  expect(await code('accounts', 'move', shop.id, '--to', 'west')).toBe('cell_not_found');
  expect(await code('accounts', 'move', 'acct_nobody', '--to', 'east')).toBe('account_not_found');
  await till('accounts', 'move', shop.id, '--to', 'east');
  expect(await code('accounts', 'move', shop.id, '--to', 'east')).toBe('already_there');
});
