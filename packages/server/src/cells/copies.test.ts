import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAccount } from '../accounts/accounts.ts';
import type { AccountRow } from '../accounts/store.ts';
import { systemClock } from '../lib/clock.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { createMigratedDatabase, type MigratedDatabase } from '../store/migrations/test-migrated.ts';
import { TestClock } from '../vault/test-database.ts';
import { copyBetween } from './copies.ts';
import { moveAccount } from './move/move.ts';
import type { Step } from './move/moving.ts';
import { writeOwnCell } from './own-cell.ts';

const made: MigratedDatabase[] = [];
let home: Database;
let east: Database;

beforeAll(async () => {
  const open = async (name: string) => {
    const database = await createMigratedDatabase(name);
    made.push(database);
    const options = { url: database.url, connections: 8, applicationName: 'till test', onError: () => {} };
    const db = openDatabase(options);
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

const openShop = () =>
  createAccount(
    { db: home, clock: systemClock, randomBytes },
    { name: 'Shop', processor: 'processor_b', environment: 'sandbox' },
  );

/** Moves an account without real delays. @param at callbacks for some of the steps */
async function move(
  shop: AccountRow,
  to: 'home' | 'east',
  at: { readonly [Name in Step]?: () => Promise<unknown> } = {},
) {
  const onStep = async (step: Step) => void (await at[step]?.());
  const open = async (cell: string) => (cell === 'east' ? east : home);
  await moveAccount({ home, clock: new TestClock(), open, onStep }, shop.account_id, to);
  // PostgreSQL releases a lock only when the connection has ended, and this clock does not wait for that.
  for (const db of [home, east]) await expect.poll(() => sql(db, advisoryLocks)).toEqual([]);
}

const advisoryLocks = `select pid from pg_locks join pg_database on oid = database
  where locktype = 'advisory' and datname = current_database()`;

function gate(): [Promise<void>, () => void] {
  let open = () => {};
  return [new Promise<void>((resolve) => (open = resolve)), () => open()];
}

const addPerson = (shop: AccountRow, id: string) =>
  sql(
    home,
    `with u as (insert into users (id, email, email_folded, password_hash, created_at)
       values ($2, $2 || '@shop.example', $2 || '@shop.example', '', now()) returning id)
     insert into memberships (account_id, user_id, role, created_at) select $1, id, 'owner', now() from u`,
    shop.account_id,
    id,
  );

/** Copies between home and east as a server process does. @param from the home database that the process reads */
async function copy(from: Pick<Database, 'query'> = home) {
  await sql(home, `update cells set copied_at = '-infinity'`);
  await copyBetween({ home: { ...home, query: from.query }, name: 'east', cell: east }, new Date());
}

/** A home database that blocks its process after it has read the users of a cell. */
function homeReadOnce() {
  const [read, hasRead] = gate();
  const [released, release] = gate();
  const query: Database['query'] = async <Row>(statement: Parameters<Database['query']>[0]) => {
    const rows = await home.query<Row>(statement);
    if (statement.text.includes('as people')) {
      hasRead();
      await released;
    }
    return rows;
  };
  return { query, read, release };
}

const copiesOf = (shop: AccountRow) =>
  sql(
    east,
    `select user_id from memberships join users on id = user_id where account_id = $1 order by 1`,
    shop.account_id,
  );

it('people who came with their account stay, also before the directory names its cell', async () => {
  const shop = await openShop();
  await addPerson(shop, 'usr_11');
  await move(shop, 'east', { arrived: () => copy() });
  expect(await copiesOf(shop)).toEqual([{ user_id: 'usr_11' }]);
});

it('people who came since home was read stay, with their account or from another process', async () => {
  const [shop, other] = [await openShop(), await openShop()];
  await addPerson(other, 'usr_21');
  await move(other, 'east');
  await addPerson(other, 'usr_22');
  const slow = homeReadOnce();
  const copying = copy(slow);
  await slow.read;
  await addPerson(other, 'usr_23');
  await addPerson(shop, 'usr_24');
  await copy();
  await move(shop, 'east');
  slow.release();
  await copying;
  expect(await copiesOf(other)).toEqual(['usr_21', 'usr_22', 'usr_23'].map((user_id) => ({ user_id })));
  expect(await copiesOf(shop)).toEqual([{ user_id: 'usr_24' }]);
});

it('nobody of an account that has left a cell is known there any more', async () => {
  const shop = await openShop();
  await addPerson(shop, 'usr_1');
  const known = () =>
    sql(
      east,
      'select u.id, m.role from users u left join memberships m on m.user_id = u.id where u.id = $1',
      'usr_1',
    );
  await move(shop, 'east');
  await copy();
  expect(await known()).toEqual([{ id: 'usr_1', role: 'owner' }]);
  await move(shop, 'home');
  await copy();
  expect(await known()).toEqual([]);
});
