import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { openDatabase } from '../database.ts';
import { migrate } from './migrate.ts';

/**
 * A database with the whole schema and no rows. Test databases are copies of it, also those of `tests/support/fresh-database.ts`,
 * because migrating each one would take several times as long.
 */
const migratedTemplate = 'till_migrated';

const siblingUrl = (url: string, database: string): string =>
  url.replace(/^(postgres(?:ql)?:\/\/[^/]*\/)[^?]*/, `$1${database}`);

/** Creates the database from which the others are copied. Call it once per PostgreSQL server. */
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
  /** Drops the database, even while clients are connected. */
  readonly drop: () => Promise<void>;
}

/** The connections of this process to the server, kept open between test files. */
let admin: pg.Pool | undefined;

/** Creates a separate database with the whole schema for one test file. */
export async function createMigratedDatabase(prefix: string): Promise<MigratedDatabase> {
  const server = process.env.TILL_TEST_DATABASE_URL;
  if (server === undefined) throw new Error('TILL_TEST_DATABASE_URL must name a PostgreSQL server');
  admin ??= new pg.Pool({ connectionString: server, allowExitOnIdle: true });
  const pool = admin;
  const database = `${prefix}_${randomBytes(8).toString('hex')}`;
  const strategy = process.env.TILL_TEST_COPY_STRATEGY ?? 'wal_log';
  await pool.query(`create database ${database} template ${migratedTemplate} strategy ${strategy}`);
  // Commits do not wait for the disk, because these tests do not check what survives a crash of PostgreSQL.
  await pool.query(`alter database ${database} set synchronous_commit = off`);
  return {
    url: siblingUrl(server, database),
    drop: async () => void (await pool.query(`drop database ${database} with (force)`)),
  };
}
