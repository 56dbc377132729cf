import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { CleanUp } from './clean-up.ts';

/** Runs one statement on a connection of its own. */
export async function queryDatabase<Row>(url: string, sql: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql, values)).rows as Row[];
  } finally {
    await client.end();
  }
}

/** The address of another database on the same server. */
export const siblingUrl = (url: string, database: string): string =>
  url.replace(/^(postgres(?:ql)?:\/\/[^/]*\/)[^?]*/, `$1${database}`);

/** An empty database of its own on the PostgreSQL that all tests share. @returns its address */
export const freshDatabase = (cleanUp: CleanUp): Promise<string> => newDatabase(cleanUp, 'template1');

/** The same with the whole schema in it, for servers of which the first migration is not what is tested. */
export const migratedDatabase = (cleanUp: CleanUp): Promise<string> => newDatabase(cleanUp, 'till_migrated');

async function newDatabase(cleanUp: CleanUp, template: string): Promise<string> {
  const server = process.env.TILL_TEST_DATABASE_URL;
  if (server === undefined) throw new Error('TILL_TEST_DATABASE_URL must name a PostgreSQL server');
  const database = `operations_${randomBytes(8).toString('hex')}`;
  const strategy = process.env.TILL_TEST_COPY_STRATEGY ?? 'wal_log';
  await queryDatabase(server, `create database ${database} template ${template} strategy ${strategy}`);
  cleanUp.add(() => queryDatabase(server, `drop database if exists ${database} with (force)`));
  return siblingUrl(server, database);
}
