import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sealedColumns } from './places.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

describe('the list of sealed columns', () => {
  it('has every table of the schema that names the version of an account’s key', async () => {
    const tables = await database.db.query<{ table_name: string }>({
      text: `select distinct table_name from information_schema.columns
             where table_schema = 'public' and column_name = 'key_version'`,
      scope: 'everybody',
    });
    const listed = new Set(sealedColumns.map(({ table }) => table));
    expect(tables.map(({ table_name: name }) => name).filter((name) => !listed.has(name))).toEqual([]);
    expect(tables.map(({ table_name: name }) => name)).toContain('payment_methods');
  });
});
