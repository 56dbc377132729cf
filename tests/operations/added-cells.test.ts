import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { freshDatabase, migratedDatabase, queryDatabase } from '../support/fresh-database.ts';
import { runCommand } from '../support/server.ts';

const cleanUp = new CleanUp();
afterAll(cleanUp.run);

let settings: Record<string, string>;
beforeAll(async () => {
  settings = {
    DATABASE_URL: await migratedDatabase(cleanUp),
    TILL_MASTER_KEY: randomBytes(32).toString('base64'),
  };
});

const add = async (name: string, url: string) => {
  const { out } = await runCommand(settings, ['cells', 'add', name, '--url', url, '--json']);
  return JSON.parse(out) as { name?: string; error?: { code: string } };
};

it('a cell whose name is refused leaves its empty database without a schema', async () => {
  const tables = (url: string) =>
    queryDatabase(
      url,
      `select 1 from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
    );
  const empty = await freshDatabase(cleanUp);
  const before = await tables(empty);
  for (const [name, code] of [
    ['East', 'invalid_name'],
    ['home', 'cell_exists'],
  ] as const) {
    expect((await add(name, empty)).error?.code).toBe(code);
    expect(await tables(empty)).toEqual(before);
  }
  expect(await add('east', empty)).toMatchObject({ name: 'east' });
  expect((await tables(empty)).length).toBeGreaterThan(before.length);
});
