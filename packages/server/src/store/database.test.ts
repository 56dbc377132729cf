import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase } from '../vault/test-database.ts';
import { openDatabase } from './database.ts';
import { createMigratedDatabase } from './migrations/test-migrated.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it.each([
  ['2026-11-26 12:34:56+00', '2026-11-26T12:34:56.000Z'],
  ['2026-11-26 12:34:56.7+00', '2026-11-26T12:34:56.700Z'],
  ['2026-11-26 12:34:56.789999+00', '2026-11-26T12:34:56.789Z'],
  ['2026-11-26 23:34:56.789-05:30', '2026-11-27T05:04:56.789Z'],
  ['0001-01-01 00:00:00+00', '0001-01-01T00:00:00.000Z'],
  ['0099-12-31 00:00:00+00', '0099-12-31T00:00:00.000Z'],
  ['12026-11-26 00:00:00+00', '+012026-11-26T00:00:00.000Z'],
])('a time comes as a Date to the millisecond: %s', async (text, expected) => {
  const values = [text];
  const rows = await database.db.query({ text: 'select $1::timestamptz as at', values, scope: 'everybody' });
  expect(rows).toEqual([{ at: new Date(expected) }]);
});

it('a time without end comes as Infinity', async () => {
  const text = `select 'infinity'::timestamptz as at`;
  expect(await database.db.query({ text, scope: 'everybody' })).toEqual([{ at: Number.POSITIVE_INFINITY }]);
});

it.each([true, false])(
  'no statement is compiled, although the database would; prefersIndexes %s',
  async (prefersIndexes) => {
    const { url, drop } = await createMigratedDatabase('compiles');
    const options = { url, connections: 1, applicationName: 'till test', onError: () => {} };
    const admin = openDatabase(options);
    const db = openDatabase({ ...options, prefersIndexes });
    const alter = `do $$ begin execute format('alter database %I set jit = on', current_database()); end $$`;
    try {
      await admin.query({ text: alter, scope: 'everybody' });
      const rows = await db.query({ text: `select current_setting('jit') as jit`, scope: 'everybody' });
      expect(rows).toEqual([{ jit: 'off' }]);
    } finally {
      await Promise.all([admin.close(), db.close()]);
      await drop();
    }
  },
);
