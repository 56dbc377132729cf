import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { CleanUp } from './clean-up.ts';

const kept = new Map<string, pg.Pool>();

/**
 * Returns a pool for a database on the shared PostgreSQL, since opening a connection takes longer than a
 * statement.
 */
function keptPool(url: string): pg.Pool | undefined {
  const server = process.env.TILL_TEST_DATABASE_URL;
  // Another PostgreSQL server may be stopped by its test.
  if (server === undefined || !areSiblings(url, server)) return undefined;
  let pool = kept.get(url);
  if (pool === undefined) {
    pool = new pg.Pool({ connectionString: url, connectionTimeoutMillis: 5000, allowExitOnIdle: true });
    // A test may end the connection or drop its database.
    pool.on('error', () => {});
    kept.set(url, pool);
  }
  return pool;
}

/** Runs one statement, which must not leave settings or locks behind. */
export async function queryDatabase<Row>(url: string, sql: string, values: unknown[] = []): Promise<Row[]> {
  const pool = keptPool(url);
  if (pool !== undefined) return (await pool.query(sql, values)).rows as Row[];
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql, values)).rows as Row[];
  } finally {
    await client.end();
  }
}

/** Returns the URL of another database on the same server. */
export const siblingUrl = (url: string, database: string): string =>
  url.replace(/^(postgres(?:ql)?:\/\/[^/]*\/)[^?]*/, `$1${database}`);

/** Whether two databases are on the same server. */
export const areSiblings = (url: string, other: string): boolean =>
  siblingUrl(url, '') === siblingUrl(other, '');

/**
 * Creates an empty database on the shared PostgreSQL.
 * @returns its URL
 */
export const freshDatabase = (cleanUp: CleanUp): Promise<string> => newDatabase(cleanUp, 'template1');

/** Creates a database with the complete schema, for servers whose first migration is not under test. */
export const migratedDatabase = (cleanUp: CleanUp): Promise<string> => newDatabase(cleanUp, 'till_migrated');

async function newDatabase(cleanUp: CleanUp, template: string): Promise<string> {
  const server = process.env.TILL_TEST_DATABASE_URL;
  if (server === undefined) throw new Error('TILL_TEST_DATABASE_URL must name a PostgreSQL server');
  const database = `operations_${randomBytes(8).toString('hex')}`;
  const strategy = process.env.TILL_TEST_COPY_STRATEGY ?? 'wal_log';
  await queryDatabase(server, `create database ${database} template ${template} strategy ${strategy}`);
  const url = siblingUrl(server, database);
  cleanUp.add(async () => {
    await kept.get(url)?.end();
    kept.delete(url);
    await queryDatabase(server, `drop database if exists ${database} with (force)`);
  });
  return url;
}
