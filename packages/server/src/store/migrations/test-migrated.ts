import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { openDatabase } from '../database.ts';
import { migrate } from './migrate.ts';

/**
 * Has the whole schema and no rows. Databases for tests are copies of it, also those of `tests/support/fresh-database.ts`:
 * to migrate each takes several times as long.
 */
const migratedTemplate = 'till_migrated';

const siblingUrl = (url: string, database: string): string =>
  url.replace(/^(postgres(?:ql)?:\/\/[^/]*\/)[^?]*/, `$1${database}`);

/** Creates the database that others are copied from. Once for each PostgreSQL. */
export async function createMigratedTemplate(server: string): Promise<void> {
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  try {
    await admin.query(`create database ${migratedTemplate}`);
    const url = siblingUrl(server, migratedTemplate);
    const db = openDatabase({ url, connections: 1, applicationName: 'till test', onError: () => {} });
    await migrate(db, new Date());
    await db.close();
  } finally {
    await admin.end();
  }
}

export interface MigratedDatabase {
  readonly url: string;
  /** Drops it, also while somebody is connected. */
  readonly drop: () => Promise<void>;
}

/** Connections of this process to the server, kept from one test file to the next. */
let admin: pg.Pool | undefined;

/** A database of its own for one test file, with the whole schema in it. */
export async function createMigratedDatabase(prefix: string): Promise<MigratedDatabase> {
  const server = process.env.TILL_TEST_DATABASE_URL;
  if (server === undefined) throw new Error('TILL_TEST_DATABASE_URL must name a PostgreSQL server');
  admin ??= new pg.Pool({ connectionString: server, allowExitOnIdle: true });
  const pool = admin;
  const database = `${prefix}_${randomBytes(8).toString('hex')}`;
  const strategy = process.env.TILL_TEST_COPY_STRATEGY ?? 'wal_log';
  await pool.query(`create database ${database} template ${migratedTemplate} strategy ${strategy}`);
  // No commit waits for the disk: what a crash of PostgreSQL would lose is not tested here.
  await pool.query(`alter database ${database} set synchronous_commit = off`);
  return {
    url: siblingUrl(server, database),
    drop: async () => void (await pool.query(`drop database ${database} with (force)`)),
  };
}
