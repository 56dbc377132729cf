import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ConnectionSettings } from './connection-settings.ts';
import { type Database, openDatabase } from './database.ts';
import { createMigratedDatabase } from './migrations/test-migrated.ts';
import type { Statement } from './scope.ts';
import type { TenantId } from './tenant.ts';

let database: { readonly url: string; drop(): Promise<void> };
let db: Database;

beforeAll(async () => {
  database = await createMigratedDatabase('plan_modes_test');
  const options = { url: database.url, connections: 1, applicationName: 'till test', prefersIndexes: true };
  db = openDatabase({ ...options, onError: () => {} });
});

afterAll(async () => {
  await db.close();
  await database.drop();
});

/** The plan mode of a statement on the only connection. */
const planned = async (generic: boolean, on: Pick<Database, 'query'> = db) => {
  const [row] = await on.query<{ mode: string }>({
    text: `select current_setting('plan_cache_mode') as mode`,
    scope: 'anybody',
    generic,
  });
  return row?.mode;
};

it('only statements that say so are planned once for all values, one after the other and at once', async () => {
  expect([await planned(true), await planned(true), await planned(false), await planned(true)]).toEqual([
    'force_generic_plan',
    'force_generic_plan',
    'auto',
    'force_generic_plan',
  ]);
  expect(await Promise.all([planned(false), planned(true), planned(false)])).toEqual([
    'auto',
    'force_generic_plan',
    'auto',
  ]);
});

it('after a transaction that was rolled back as well', async () => {
  expect(await planned(false)).toBe('auto');
  const work = db.transaction(async (tx) => {
    expect(await planned(true, tx)).toBe('force_generic_plan');
    await tx.query({ text: 'select 1 / 0', scope: 'anybody' });
  });
  await expect(work).rejects.toThrow('division by zero');
  expect(await planned(true)).toBe('force_generic_plan');
  expect(await planned(false)).toBe('auto');
});

it('scope and plan mode are set by one statement, and by none where a connection has both', async () => {
  const sent: Statement[] = [];
  const settings = new ConnectionSettings(
    (_client, statement) => {
      sent.push(statement);
      return Promise.resolve();
    },
    { isScoped: () => true, choosesPlans: true },
  );
  const client = new pg.Client();
  const ofTenant = { text: '', scope: { tenant: 7 as TenantId }, generic: true };
  await settings.prepare(client, ofTenant);
  await settings.prepare(client, ofTenant);
  await settings.prepare(client, { ...ofTenant, scope: 'anybody' });
  const values = ['till_tenant', '{7}', '{}', 'force_generic_plan'];
  expect(sent.map((statement) => statement.values)).toEqual([[...values, 'on']]);
  await settings.prepare(client, { ...ofTenant, byIndex: true });
  expect(sent.at(-1)?.values).toEqual([...values, 'off']);
});

it('only statements that say so are planned without sorting and without hashing', async () => {
  const [row, other] = await Promise.all(
    [true, false].map((byIndex) =>
      db.query<{ sorts: string[] }>({
        text: `select array(select setting from pg_settings
                 where name in ('enable_sort', 'enable_incremental_sort', 'enable_hashjoin', 'enable_mergejoin')) as sorts`,
        scope: 'anybody',
        byIndex,
      }),
    ),
  );
  expect(row).toEqual([{ sorts: ['off', 'off', 'off', 'off'] }]);
  expect(other).toEqual([{ sorts: ['on', 'on', 'on', 'on'] }]);
});

it('a statement gets the connection that is set for it already, and one that is set for none the one that rested longest', async () => {
  const options = { url: database.url, connections: 3, applicationName: 'till test', prefersIndexes: true };
  const three = openDatabase({ ...options, onError: () => {} });
  const processOf = async (generic: boolean) => {
    const [row] = await three.query<{ pid: number }>({
      text: 'select pg_backend_pid() as pid',
      scope: 'anybody',
      generic,
    });
    return row?.pid;
  };
  // Three concurrent statements open three connections.
  await Promise.all([processOf(true), processOf(true), processOf(true)]);
  const byCost = await processOf(false);
  const once = await processOf(true);
  expect(once).not.toBe(byCost);
  for (let round = 0; round < 3; round += 1) {
    expect([await processOf(true), await processOf(false)]).toEqual([once, byCost]);
  }
  await three.close();
});
