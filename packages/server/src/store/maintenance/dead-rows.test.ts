import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Database, openDatabase } from '../database.ts';
import { createMigratedDatabase } from '../migrations/test-migrated.ts';
import { vacuumOfBloatedTables } from './dead-rows.ts';

let database: { readonly url: string; drop(): Promise<void> };
let db: Database;

beforeAll(async () => {
  database = await createMigratedDatabase('dead_rows_test');
  db = openDatabase({ url: database.url, connections: 1, applicationName: 'till test', onError: () => {} });
});

afterAll(async () => {
  await db.close();
  await database.drop();
});

const run = <Row = Record<string, string>>(text: string) => db.query<Row>({ text, scope: 'nobody' });

/** Also flushes the table's statistics, so that the next statement sees them. */
async function insertAndDelete(rows: number): Promise<void> {
  await run(`insert into passing select i from generate_series(1, ${rows}) i`);
  await run('delete from passing');
  await run('select pg_stat_force_next_flush()');
}

beforeEach(async () => {
  await run('drop table if exists passing');
  await run('create table passing (id int) with (autovacuum_enabled = off)');
});

/** The rows of two pages: a vacuum skips a page that the checkpointer or the background writer is just using. */
const leftBehind = 2 * 226;

const dead = async () => {
  const [row] = await run<{ dead: number }>(
    `select n_dead_tup::int as dead from pg_stat_user_tables where relname = 'passing'`,
  );
  return row?.dead;
};

it('a table of many dead rows and few others is vacuumed', async () => {
  const vacuum = vacuumOfBloatedTables(db);
  await insertAndDelete(4_999);
  expect(await vacuum()).toEqual([]);
  await insertAndDelete(1);
  expect(await vacuum()).toEqual(['passing']);
  expect(await dead()).toBeLessThanOrEqual(leftBehind);
  expect(await vacuum()).toEqual([]);
});

it('a table of which more than a fifth lives is left to PostgreSQL', async () => {
  const vacuum = vacuumOfBloatedTables(db);
  await insertAndDelete(6_000);
  await run('insert into passing select i from generate_series(1, 1501) i');
  await run('select pg_stat_force_next_flush()');
  expect(await vacuum()).toEqual([]);
  expect(await dead()).toBe(6_000);
});

/** Begins a transaction that may still see every current row. @returns a function that ends it */
async function beginReading(): Promise<() => Promise<void>> {
  const reader = new pg.Client({ connectionString: database.url });
  await reader.connect();
  await reader.query('begin isolation level repeatable read');
  await reader.query('select 1 from pg_class limit 1');
  return () => reader.end();
}

it('rows that a transaction may still see are tried again only once they are twice as many', async () => {
  const vacuum = vacuumOfBloatedTables(db);
  const endReading = await beginReading();
  try {
    await insertAndDelete(6_000);
    expect(await vacuum()).toEqual(['passing']);
    expect(await dead()).toBe(6_000);
    await insertAndDelete(5_999);
    expect(await vacuum()).toEqual([]);
    await insertAndDelete(1);
    expect(await vacuum()).toEqual(['passing']);
  } finally {
    await endReading();
  }
  await insertAndDelete(12_000);
  expect(await vacuum()).toEqual(['passing']);
  expect(await dead()).toBeLessThanOrEqual(leftBehind);
});

it('rows that PostgreSQL has removed meanwhile count no more', async () => {
  const vacuum = vacuumOfBloatedTables(db);
  const endReading = await beginReading();
  await insertAndDelete(20_000);
  expect(await vacuum()).toEqual(['passing']);
  await endReading();
  await run('vacuum passing');
  expect(await vacuum()).toEqual([]);
  await insertAndDelete(5_000);
  expect(await vacuum()).toEqual(['passing']);
});

it('a vacuum that is cancelled is begun again only once the dead rows are twice as many', async () => {
  const cancelled: Database['query'] = (statement) =>
    statement.text.startsWith('vacuum')
      ? Promise.reject(new Error('statement timeout'))
      : db.query(statement);
  const vacuum = vacuumOfBloatedTables({ ...db, query: cancelled });
  await insertAndDelete(6_000);
  await expect(vacuum()).rejects.toThrow('statement timeout');
  expect(await vacuum()).toEqual([]);
  await insertAndDelete(6_000);
  await expect(vacuum()).rejects.toThrow('statement timeout');
});
