import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '../database.ts';
import { createMigratedDatabase } from '../migrations/test-migrated.ts';
import { analyzeYoungTables } from './young-tables.ts';

let database: { readonly url: string; drop(): Promise<void> };
let db: Database;

beforeAll(async () => {
  database = await createMigratedDatabase('young_tables_test');
  db = openDatabase({ url: database.url, connections: 1, applicationName: 'till test', onError: () => {} });
});

afterAll(async () => {
  await db.close();
  await database.drop();
});

const run = <Row = Record<string, string>>(text: string) => db.query<Row>({ text, scope: 'nobody' });

const insertUntil = (last: number) =>
  run(
    `insert into grown select 1, i::text from generate_series((select count(*) + 1 from grown), ${last}) i`,
  );

const count = () =>
  db.query({
    name: 'count_of_tenant',
    text: 'select count(*) from grown where tenant = $1',
    values: [1],
    scope: 'nobody',
  });

const plan = async () => {
  const rows = await run('explain execute count_of_tenant(1)');
  return rows.map((row) => row['QUERY PLAN']).join(' ');
};

it('a table that grows is analyzed, and statements on it are planned anew', async () => {
  await run(
    'create table grown (tenant int, id text, primary key (tenant, id)) with (autovacuum_enabled = off)',
  );
  await run('set plan_cache_mode = force_generic_plan');
  await count();
  await insertUntil(1000);
  expect(await plan()).not.toContain('rows=1000 ');
  expect(await analyzeYoungTables(db)).toContain('grown');
  expect(await plan()).toContain('rows=1000 ');
  expect(await analyzeYoungTables(db)).not.toContain('grown');
  await insertUntil(2000);
  expect(await analyzeYoungTables(db)).not.toContain('grown');
  await insertUntil(5000);
  expect(await analyzeYoungTables(db)).toContain('grown');
});
