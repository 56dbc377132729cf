import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAccount } from '../../accounts/accounts.ts';
import type { AccountRow } from '../../accounts/store.ts';
import { systemClock } from '../../lib/clock.ts';
import { type Database, openDatabase, sqlState } from '../../store/database.ts';
import { keepPartitions } from '../../store/maintenance/keep-partitions.ts';
import { createMigratedDatabase, type MigratedDatabase } from '../../store/migrations/test-migrated.ts';
import { TestClock } from '../../vault/test-database.ts';
import { copyBetween } from '../copies.ts';
import { writeOwnCell } from '../own-cell.ts';
import { moveAccount } from './move.ts';
import type { Step } from './moving.ts';
import { dropOldFences } from './settle.ts';
import { isOf, movedTables } from './tables.ts';

type Cell = 'home' | 'east';

const made: MigratedDatabase[] = [];
const databases = new Map<Cell, Database>();

beforeAll(async () => {
  for (const cell of ['home', 'east'] as const) {
    const database = await createMigratedDatabase(cell);
    made.push(database);
    const options = { url: database.url, connections: 8, applicationName: 'till test', onError: () => {} };
    databases.set(cell, openDatabase(options));
    await writeOwnCell(dbOf(cell), { name: cell, home: 'an installation' });
  }
  await sql(
    'home',
    `insert into cells (name, url, master_key_id, state, created_at) values ('east', '', 'key', 'active', now())`,
  );
});

afterAll(async () => {
  await Promise.all([...databases.values()].map((db) => db.close()));
  await Promise.all(made.map(({ drop }) => drop()));
});

function dbOf(cell: string): Database {
  const db = databases.get(cell as Cell);
  if (db === undefined) throw new Error(`there is no cell ${cell}`);
  return db;
}

const sql = <Row>(cell: Cell, text: string, ...values: unknown[]) =>
  dbOf(cell).query<Row>({ text, values, scope: 'everybody' });

const openShop = () =>
  createAccount(
    { db: dbOf('home'), clock: systemClock, randomBytes },
    { name: 'Shop', processor: 'processor_b', environment: 'sandbox' },
  );

/** Moves an account without real delays. @param at callbacks for some of the steps */
async function move(
  shop: AccountRow,
  to: Cell,
  at: { readonly [Name in Step]?: () => Promise<unknown> } = {},
  clock = new TestClock(),
) {
  const onStep = async (step: Step) => void (await at[step]?.());
  const deps = { home: dbOf('home'), clock, open: async (cell: string) => dbOf(cell), onStep };
  await moveAccount(deps, shop.account_id, to);
  // PostgreSQL releases a lock only when the connection has ended, and this clock does not wait for that.
  for (const cell of ['home', 'east'] as const) await expect.poll(() => advisoryLocksOf(cell)).toEqual([]);
}

const advisoryLocksOf = (cell: Cell) =>
  sql(
    cell,
    `select pid from pg_locks join pg_database on oid = database
     where locktype = 'advisory' and datname = current_database()`,
  );

/** All rows of an account as text, by table. */
async function rowsOf(cell: Cell, shop: AccountRow): Promise<Readonly<Record<string, readonly string[]>>> {
  const query = <Row>({ text }: { readonly text: string }) => sql<Row>(cell, text);
  const account = { accountId: shop.account_id, tenants: [shop.test_tenant, shop.live_tenant] } as const;
  const found: Record<string, readonly string[]> = {};
  for (const table of await movedTables({ query })) {
    const rows = await sql<{ row: string }>(
      cell,
      `select t::text as row from ${table.name} t where ${isOf(table, account, 't')} order by 1`,
    );
    if (rows.length > 0) found[table.name] = rows.map(({ row }) => row);
  }
  return found;
}

const triggersOf = ({ account_id: id }: AccountRow) =>
  sql('home', `select tgname from pg_trigger where tgname like $1`, `departing_%_${id}`);
const departuresOf = ({ account_id: id }: AccountRow) =>
  sql('home', 'select 1 from departures where account_id = $1', id);

async function addCustomer(shop: AccountRow, id: string, seq: number, email: string, metadata = '{}') {
  await sql(
    'home',
    `insert into customers (tenant, id, seq, email, email_folded, metadata, created_at) values ($1, $2, $3, $4, $4, $5, now())`,
    shop.test_tenant,
    id,
    seq,
    email,
    metadata,
  );
}

it('every row comes along as it is, to the byte', async () => {
  const shop = await openShop();
  const odd = String.raw`{ "z": 1.10, "a":"\u0000 \ud800 \u00e9 é \\ \"", "z": null, "n": 12345678901234567890.5 }`;
  await addCustomer(shop, 'cus_1', 1, 'odd "quoted"\\ \t\n漢 {},()@example.com');
  await sql(
    'home',
    `insert into payments (tenant, id, seq, status, version, event_count, amount, currency, customer_id, capture_method,
       method_type, request, returned, upstream, created_at, confirm_by)
     values ($1, 'pay_1', 1, 'requires_action', 1, 1, 9007199254740993, 'EUR', 'cus_1', 'manual', 'card', $2, $3, 'null',
       '2026-11-20 12:00:00.123456Z', 'infinity')`,
    shop.test_tenant,
    odd,
    odd,
  );
  await sql(
    'home',
    `insert into webhook_endpoints (account_id, id, url, secret, key_version, additional_events, event_types, status, created_at)
     values ($1, 'we_1', 'http://shop.example/', $2, 1, false, $3, 'active', '-infinity')`,
    shop.account_id,
    Buffer.from([0, 255, 92, 39]),
    ['a,b', '{"}', '', 'null'],
  );
  const before = await rowsOf('home', shop);
  expect(Object.keys(before)).toEqual(expect.arrayContaining(['customers', 'payments', 'webhook_endpoints']));
  await move(shop, 'east');
  expect(await rowsOf('east', shop)).toEqual(before);
  expect(await rowsOf('home', shop)).toEqual({});
});

it('what takes the place of another row meanwhile does so in the other cell as well', async () => {
  const shop = await openShop();
  const addLine = (id: string) =>
    sql(
      'home',
      `insert into payout_lines (tenant, id, payout_id, number, type, gross, fee, upstream_reference, at)
       values ($1, $2, 'po_1', 1, 'fee', 1, 1, '', now())`,
      shop.test_tenant,
      id,
    );
  await addLine('line_1');
  await addCustomer(shop, 'cus_1', 1, 'old@example.com');
  await addCustomer(shop, 'cus_2', 2, 'taken@example.com');
  const rename = (id: string, email: string) =>
    sql(
      'home',
      'update customers set email = $3, email_folded = $3 where tenant = $1 and id = $2',
      shop.test_tenant,
      id,
      email,
    );
  let before = {};
  await move(shop, 'east', {
    copied: async () => {
      await sql('home', 'delete from payout_lines where tenant = $1', shop.test_tenant);
      await addLine('line_2');
      await rename('cus_2', 'new@example.com');
      await rename('cus_1', 'taken@example.com');
      before = await rowsOf('home', shop);
    },
  });
  expect(await rowsOf('east', shop)).toEqual(before);
});

it('a row whose key changes meanwhile is there once', async () => {
  const shop = await openShop();
  await addCustomer(shop, 'cus_1', 1, 'jane@example.com');
  await move(shop, 'east', {
    copied: () => sql('home', `update customers set id = 'cus_2' where tenant = $1`, shop.test_tenant),
  });
  expect((await rowsOf('east', shop)).customers).toHaveLength(1);
});

it('nothing of a move is left in the database to which an account came back', async () => {
  const shop = await openShop();
  await move(shop, 'east');
  await move(shop, 'home');
  expect(await departuresOf(shop)).toEqual([]);
  await dropOldFences(dbOf('home'), new TestClock());
  expect(await triggersOf(shop)).toEqual([]);
});

it('what refuses requests that came too late ends ten minutes after the account left', async () => {
  const shop = await openShop();
  const clock = new TestClock();
  await move(shop, 'east', {}, clock);
  clock.move(599_000);
  await dropOldFences(dbOf('home'), clock);
  expect((await triggersOf(shop)).length).toBeGreaterThan(0);
  clock.move(2_000);
  await dropOldFences(dbOf('home'), clock);
  expect(await triggersOf(shop)).toEqual([]);
  expect(await departuresOf(shop)).toEqual([]);
});

const insertMail = (cell: Cell, shop: AccountRow, id: string) =>
  sql(
    cell,
    `insert into mails (account_id, id, to_address, subject, text, state, next_try_at, created_at)
     values ($1, $2, 'jane@shop.example', '', '', 'queued', now(), now())`,
    shop.account_id,
    id,
  );

function gate(): [Promise<void>, () => void] {
  let open = () => {};
  return [new Promise<void>((resolve) => (open = resolve)), () => open()];
}

/** A home database that blocks its process before it deletes mails. */
function slowHome() {
  const home = dbOf('home');
  const [reached, reach] = gate();
  const [released, release] = gate();
  const query = async <Row>(statement: Parameters<Database['query']>[0]): Promise<Row[]> => {
    if (statement.text.startsWith('delete from mails')) {
      reach();
      await released;
    }
    return home.query<Row>(statement);
  };
  return { home: { ...home, query }, reached, release };
}

it('a mail that was on its way to a cell which the account leaves is still there', async () => {
  const shop = await openShop();
  await move(shop, 'east');
  await insertMail('home', shop, 'mail_1');
  await sql('home', `update cells set copied_at = '-infinity'`);
  const slow = slowHome();
  const forwarded = { done: Promise.resolve(false) };
  await move(shop, 'home', {
    copied: async () => {
      forwarded.done = copyBetween({ home: slow.home, name: 'east', cell: dbOf('east') }, new Date());
      await slow.reached;
    },
  });
  slow.release();
  expect(await forwarded.done).toBe(true);
  expect((await rowsOf('home', shop)).mails).toHaveLength(1);
  expect(await rowsOf('east', shop)).toEqual({});
});

it('a mail that has come to another cell is not sent by home', async () => {
  const shop = await openShop();
  await insertMail('home', shop, 'mail_1');
  const taken = `update mails set tries = tries + 1 where account_id = $1 returning id`;
  const scope = { accountId: shop.account_id };
  const take = () => dbOf('home').query({ text: taken, values: [shop.account_id], scope });
  await move(shop, 'east', {
    removed: () => expect(take().catch(sqlState)).resolves.toBe('TM001'),
  });
  expect(await sql('east', taken, shop.account_id)).toHaveLength(1);
});

it('tables for further days and weeks are left for later while an account is copied, and nobody waits for that', async () => {
  const shop = await openShop();
  const spanMs = 86_400_000;
  const kept = { table: 'request_logs', spanMs, ahead: 0, retentionMs: 30 * spanMs, lockNumber: 1 };
  const logged = `insert into request_logs (tenant, seq, id, at, method, route, path, status, duration_ms, key_id, ip, replayed,
    request_bytes, answer_bytes) values ($1, $2, 'req_1', now(), 'GET', '', '', 200, 1, '', '', false, 0, 0)`;
  await sql('home', logged, shop.test_tenant, 1);
  await move(shop, 'east', {
    copied: async () => {
      const later = keepPartitions(dbOf('east'), kept, new Date('2030-01-01T12:00:00Z'));
      await expect(later.catch(sqlState)).resolves.toBe('55P03');
      await sql('east', logged, 1_000_000, 1);
    },
  });
});
