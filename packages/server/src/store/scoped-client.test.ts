import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from './database.ts';
import { createMigratedDatabase } from './test-migrated.ts';

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

/** How a statement is planned on the only connection. */
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
