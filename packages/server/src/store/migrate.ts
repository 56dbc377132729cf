import { readdir, readFile } from 'node:fs/promises';
import { sha256 } from '../lib/keys.ts';
import type { Database } from './database.ts';

const migrationsFolder = new URL('../../migrations/', import.meta.url);
const lockNumber = 7_110_411;

/** The database and this program do not fit together; the message says what to do. */
export class SchemaError extends Error {}

async function readMigrations(): Promise<{ name: string; sql: string; checksum: string }[]> {
  const names = (await readdir(migrationsFolder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, migrationsFolder), 'utf8');
      return { name, sql, checksum: sha256(sql).toString('hex') };
    }),
  );
}

/**
 * Brings the schema to this program's version: forward only, each file once, one process at a time.
 * @param extra statements of parts that keep an own schema (the sandbox); they must be repeatable
 * @throws SchemaError where the schema is newer than the program or a released file was changed
 */
export async function migrate(
  database: Database,
  now: Date,
  extra: readonly string[] = [],
): Promise<string[]> {
  const migrations = await readMigrations();
  return database.transaction(async (tx) => {
    await tx.query({ text: 'select pg_advisory_xact_lock($1)', values: [lockNumber] });
    await tx.query({
      text: 'create table if not exists schema_migrations (name text primary key, checksum text not null, applied_at timestamptz not null)',
    });
    const applied = await tx.query<{ name: string; checksum: string }>({
      text: 'select name, checksum from schema_migrations order by name',
    });
    for (const row of applied) {
      const known = migrations.find((migration) => migration.name === row.name);
      if (known === undefined) {
        throw new SchemaError(
          `The database has migration ${row.name}, which this version of Till does not know. Start the newer version.`,
        );
      }
      if (known.checksum !== row.checksum) {
        throw new SchemaError(
          `Migration ${row.name} was changed after it was applied. Restore the released file.`,
        );
      }
    }
    const pending = migrations.filter((migration) => !applied.some((row) => row.name === migration.name));
    for (const migration of pending) {
      await tx.query({ text: migration.sql });
      await tx.query({
        text: 'insert into schema_migrations (name, checksum, applied_at) values ($1, $2, $3)',
        values: [migration.name, migration.checksum, now],
      });
    }
    for (const sql of extra) await tx.query({ text: sql });
    return pending.map((migration) => migration.name);
  });
}

/**
 * Refuses a server on which an acknowledged payment could be lost.
 * @throws SchemaError naming each setting at fault
 */
export async function requireDurableServer(database: Database): Promise<void> {
  const rows = await database.query<{ name: string; setting: string }>({
    text: `select name, setting from pg_settings
           where name in ('fsync', 'full_page_writes', 'synchronous_commit', 'server_version_num')`,
  });
  const setting = (name: string) => rows.find((row) => row.name === name)?.setting ?? '';
  const version = Number(setting('server_version_num'));
  const faults = ['fsync', 'full_page_writes', 'synchronous_commit'].filter(
    (name) => setting(name) === 'off',
  );
  if (faults.length > 0) {
    throw new SchemaError(
      `PostgreSQL runs with ${faults.map((name) => `${name}=off`).join(', ')}: acknowledged payments could be lost. Turn ${faults.length === 1 ? 'it' : 'them'} on.`,
    );
  }
  if (version < 150000 || version >= 190000) {
    throw new SchemaError(
      `PostgreSQL ${Math.floor(version / 10000)} is not supported: use 15, 16, 17 or 18.`,
    );
  }
}
