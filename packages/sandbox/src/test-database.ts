import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { sandboxSchema } from './schema.ts';

export interface TestDatabase {
  readonly pool: pg.Pool;
  /** Returns every value of every row in the sandbox schema as text, to check what must not be stored. */
  dump(): Promise<string>;
  drop(): Promise<void>;
}

/** Creates a database for one test file, with the sandbox schema in it. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const connectionString = process.env.TILL_TEST_DATABASE_URL;
  if (connectionString === undefined) throw new Error('TILL_TEST_DATABASE_URL must name a PostgreSQL server');
  const admin = new pg.Client({ connectionString });
  await admin.connect();
  const database = `sandbox_test_${randomBytes(8).toString('hex')}`;
  await admin.query(`create database ${database}`);
  const { host, port, user, password } = admin;
  const pool = new pg.Pool({
    host,
    port,
    database,
    max: 8,
    ...(user && { user }),
    ...(password && { password }),
  });
  // `end` does not wait until the connections are closed, so dropping the database may still terminate
  // one.
  pool.on('error', () => {});
  await pool.query(sandboxSchema);

  return {
    pool,
    async dump() {
      const tables = await pool.query<{ name: string }>(
        "select table_name as name from information_schema.tables where table_schema = 'sandbox'",
      );
      const rows = await Promise.all(
        tables.rows.map(({ name }) =>
          pool.query<{ text: string }>(`select t::text as text from sandbox.${name} t`),
        ),
      );
      return rows.flatMap((result) => result.rows.map((row) => row.text)).join('\n');
    },
    async drop() {
      await pool.end();
      await admin.query(`drop database ${database} with (force)`);
      await admin.end();
    },
  };
}
