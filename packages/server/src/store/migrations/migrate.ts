import { readdir, readFile } from 'node:fs/promises';
import { sha256 } from '../../lib/keys.ts';
import { acrossAccounts, type Connection, type Database, sqlState } from '../database.ts';
import { type Hazard, hazardsOf, statementsOf } from './hazards.ts';

const released = new URL('../../../migrations/', import.meta.url);
const lockNumber = 7_110_411;

/**
 * How long a statement may wait for a table lock. All other statements on the table queue behind it, so this is less than
 * requests wait for a database connection; the statement is retried a little later.
 */
const lockWaitMs = 500;
const pauseSeconds = 1;
const maxTries = 60;
const lockNotAvailable = '55P03';
/** The first line of a migration that runs outside a transaction, statement by statement, as concurrent index builds require. */
const noTransaction = '-- no transaction';

/** The database does not match this program; the message says what to do. */
export class SchemaError extends Error {}

interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

type Applied = Pick<Migration, 'name' | 'checksum'>;

async function readMigrations(folder: URL): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, folder), 'utf8');
      return { name, sql, checksum: sha256(sql).toString('hex') };
    }),
  );
}

async function readApplied(db: Connection): Promise<Applied[]> {
  const [table] = await db.query<{ there: boolean }>({
    text: `select to_regclass('schema_migrations') is not null as there`,
  });
  return table?.there === true
    ? db.query<Applied>({ text: 'select name, checksum from schema_migrations order by name' })
    : [];
}

/** @throws SchemaError if the schema is newer than the program or older than the first release, or a released file was changed */
function pendingOf(migrations: readonly Migration[], applied: readonly Applied[]): Migration[] {
  const [first] = applied;
  if (first !== undefined && first.name !== migrations[0]?.name) {
    throw new SchemaError(
      `The database was made before the first release of Till (its first migration is ${first.name}), and no migration leads from there. Export what you need with the version that made it, then start this one on an empty database: name another one in DATABASE_URL, or another folder in TILL_DATA_DIR.`,
    );
  }
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
  return migrations.filter((migration) => !applied.some((row) => row.name === migration.name));
}

/** A pending migration, with the statements that would disturb a running server of the previous version. */
export interface PlannedMigration {
  readonly name: string;
  readonly statements: number;
  readonly hazards: readonly Hazard[];
}

/**
 * Compares the database's schema with this program's, without changing anything.
 * @throws SchemaError if the schema is newer than the program, older than the first release, or a released file was changed
 */
export async function compareSchema(
  database: Database,
): Promise<{ applied: number; pending: PlannedMigration[] }> {
  const applied = await readApplied(acrossAccounts(database));
  const pending = pendingOf(await readMigrations(released), applied);
  return {
    applied: applied.length,
    pending: pending.map(({ name, sql }) => ({
      name,
      statements: statementsOf(sql).length,
      hazards: hazardsOf(sql),
    })),
  };
}

/**
 * Migrates the schema to this program's version: forward only, each file once, one process at a time. Servers of the previous
 * version may keep running: each file is a separate transaction, and none waits long for a table lock.
 * @param extra statements of components with their own schema (the sandbox); they must be repeatable
 * @param folder the folder of the migrations; only tests use another one than that of the released migrations
 * @returns the names of the migrations that were applied
 * @throws SchemaError if the schema is newer than the program or older than the first release, a released file was changed, or a
 *   table stays locked
 */
export async function migrate(
  database: Database,
  now: Date,
  extra: readonly string[] = [],
  folder: URL = released,
): Promise<string[]> {
  const migrations = await readMigrations(folder);
  const session = await database.session();
  try {
    // Changes of a large table may take long.
    await session.query({ text: 'set statement_timeout = 0' });
    await lock(session);
    const applied = await readApplied(session);
    const pending = pendingOf(migrations, applied);
    if (applied.length === 0) {
      await session.query({
        text: 'create table if not exists schema_migrations (name text primary key, checksum text not null, applied_at timestamptz not null)',
      });
    }
    for (const group of grouped(pending, applied.length === 0)) await apply(session, group, now);
    if (extra.length > 0) {
      await retryWhileLocked(session, () => inTransaction(session, extra, async () => {}));
    }
    return pending.map((migration) => migration.name);
  } finally {
    session.release();
  }
}

/** Lets one process migrate at a time. */
async function lock(session: Connection): Promise<void> {
  // Polls with short statements: a concurrent index build waits for every statement that began before it.
  for (;;) {
    const [row] = await session.query<{ locked: boolean }>({
      text: 'select pg_try_advisory_lock($1) as locked',
      values: [lockNumber],
    });
    if (row?.locked === true) return;
    await session.query({ text: 'select pg_sleep(0.1)' });
  }
}

const isNonTransactional = ({ sql }: Migration) => sql.startsWith(noTransaction);

/** Groups migrations into transactions: one per file, or a single one for a new database, which nobody uses yet. */
function grouped(pending: readonly Migration[], isFresh: boolean): Migration[][] {
  const groups: Migration[][] = [];
  for (const migration of pending) {
    const last = groups.at(-1);
    const joins =
      isFresh && last !== undefined && !isNonTransactional(migration) && !last.some(isNonTransactional);
    if (joins) last.push(migration);
    else groups.push([migration]);
  }
  return groups;
}

async function apply(session: Connection, group: readonly Migration[], now: Date): Promise<void> {
  const record = async () => {
    for (const { name, checksum } of group) {
      await session.query({
        text: 'insert into schema_migrations (name, checksum, applied_at) values ($1, $2, $3)',
        values: [name, checksum, now],
      });
    }
  };
  const [first] = group;
  if (first !== undefined && isNonTransactional(first)) {
    for (const text of statementsOf(first.sql)) await runSeparately(session, text);
    await record();
    return;
  }
  const texts = group.map(({ sql }) => sql);
  await retryWhileLocked(session, () => inTransaction(session, texts, record));
}

/** Runs a statement outside a transaction if it is concurrent, since that blocks nobody; otherwise with a short lock timeout. */
async function runSeparately(session: Connection, text: string): Promise<void> {
  if (/\bconcurrently\b/i.test(text)) await session.query({ text });
  else await retryWhileLocked(session, () => inTransaction(session, [text], async () => {}));
}

async function inTransaction(
  session: Connection,
  texts: readonly string[],
  then: () => Promise<void>,
): Promise<void> {
  await session.query({ text: 'begin' });
  try {
    await session.query({ text: `set local lock_timeout = ${lockWaitMs}` });
    for (const text of texts) await session.query({ text });
    await then();
    await session.query({ text: 'commit' });
  } catch (error) {
    await session.query({ text: 'rollback' });
    throw error;
  }
}

/** Retries `work` if another session held a table lock for too long. */
async function retryWhileLocked(session: Connection, work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await work();
      return;
    } catch (error) {
      if (sqlState(error) !== lockNotAvailable) throw error;
      if (tries >= maxTries) {
        throw new SchemaError(
          'The schema could not be changed: somebody keeps a table locked. Look at pg_stat_activity and start again.',
          { cause: error },
        );
      }
      await session.query({ text: 'select pg_sleep($1)', values: [pauseSeconds] });
    }
  }
}

/**
 * Refuses a database server on which an acknowledged payment could be lost, or whose version is not supported.
 * @throws SchemaError that names each wrong setting
 */
export async function requireDurableServer(database: Database): Promise<void> {
  const rows = await database.query<{ name: string; setting: string }>({
    text: `select name, setting from pg_settings
           where name in ('fsync', 'full_page_writes', 'synchronous_commit', 'server_version_num')`,
    scope: 'anybody',
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
