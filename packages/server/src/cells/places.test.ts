import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAccount } from '../accounts/accounts.ts';
import { systemClock } from '../lib/clock.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { createMigratedDatabase, type MigratedDatabase } from '../store/migrations/test-migrated.ts';
import { TestClock } from '../vault/test-database.ts';
import { openAccountIn } from './cells.ts';
import { moveAccount } from './move/move.ts';
import { beginMove } from './move/store.ts';
import { writeOwnCell } from './own-cell.ts';
import { findMisplaced, listMisplaced } from './places.ts';
import { setCellOfAccount } from './store.ts';

const made: MigratedDatabase[] = [];
let home: Database;
let east: Database;

beforeAll(async () => {
  const open = async (name: string) => {
    const database = await createMigratedDatabase(name);
    made.push(database);
    const db = openDatabase({
      url: database.url,
      connections: 8,
      applicationName: 'till test',
      onError: () => {},
    });
    await writeOwnCell(db, { name, home: 'an installation' });
    return db;
  };
  [home, east] = [await open('home'), await open('east')];
  await sql(
    home,
    `insert into cells (name, url, master_key_id, state, created_at) values ('east', '', 'key', 'active', now())`,
  );
});

afterAll(async () => {
  await Promise.all([home.close(), east.close()]);
  await Promise.all(made.map(({ drop }) => drop()));
});

const sql = <Row>(db: Database, text: string, ...values: unknown[]) =>
  db.query<Row>({ text, values, scope: 'everybody' });
const deps = () => ({ db: home, clock: systemClock, randomBytes });
const options = { name: 'Shop', processor: 'processor_b', environment: 'sandbox' } as const;

/** Opens an account in the cell, and then removes it from home, as if home alone had been restored to an earlier time. */
async function openForgotten() {
  const { account } = await openAccountIn(deps(), { name: 'east', db: east }, options);
  await sql(home, 'delete from cell_keys where account_id = $1', account.account_id);
  await sql(home, 'delete from account_cells where account_id = $1', account.account_id);
  const sequence = `pg_get_serial_sequence('tenants', 'tenant')`;
  await sql(home, `select setval(${sequence}, $1, false)`, account.test_tenant);
  return account;
}

it('an account does not move to where another one has its numbers, whose rows stay as they are', async () => {
  const forgotten = await openForgotten();
  const shop = await createAccount(deps(), options);
  expect(shop.test_tenant).toBe(forgotten.test_tenant);
  const moving = {
    home,
    clock: new TestClock(),
    open: async (cell: string) => (cell === 'east' ? east : home),
  };
  await expect(moveAccount(moving, shop.account_id, 'east')).rejects.toMatchObject({ code: 'numbers_taken' });
  expect(await sql(home, 'select from account_moves')).toEqual([]);
  const owners = await sql(east, 'select account_id from tenants where tenant = $1', forgotten.test_tenant);
  expect(owners).toEqual([{ account_id: forgotten.account_id }]);
});

it('a cell whose accounts the directory does not know is noticed, and their numbers are not taken again', async () => {
  const forgotten = await openForgotten();
  expect(await findMisplaced(home, 'east', east)).toContain(forgotten.account_id);
  const { account: next } = await openAccountIn(deps(), { name: 'east', db: east }, options);
  expect(next.test_tenant).toBeGreaterThan(forgotten.live_tenant);
  expect(await findMisplaced(home, 'east', east)).not.toContain(next.account_id);
});

it('an account of home that the directory places elsewhere is misplaced there, unless it is on its way', async () => {
  const shop = await createAccount(deps(), options);
  expect(await listMisplaced(home, 'home', home)).toEqual([]);
  await home.transaction((tx) => setCellOfAccount(tx, shop, 'east'));
  expect(await listMisplaced(home, 'home', home)).toEqual([shop.account_id]);
  await beginMove(home, { account_id: shop.account_id, source: 'home', target: 'east' }, new Date());
  expect(await listMisplaced(home, 'home', home)).toEqual([]);
});
