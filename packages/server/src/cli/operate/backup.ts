import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { OperatorError } from '../../accounts/accounts.ts';
import { readConfig } from '../../config/config.ts';
import { isoSeconds, systemClock } from '../../lib/clock.ts';
import { makeFolder } from '../../lib/files/make-folder.ts';
import { findMasterKey } from '../../lib/master-key.ts';
import { messageOf } from '../../lib/text/message-of.ts';
import { type Database, openDatabase } from '../../store/database.ts';
import {
  copiedNames,
  copyRunningCluster,
  giveUpRestore,
  hasCluster,
  makeVerificationFolder,
  placeCluster,
  removeCopy,
  reserveForRestore,
} from '../../store/embedded/backup.ts';
import { startEmbeddedPostgres } from '../../store/embedded/embedded-postgres.ts';
import { checkSecrets } from '../../vault/check-secrets.ts';
import { checkMasterKey, deriveMasterKeys, type MasterKeys } from '../../vault/master-keys.ts';
import { Vault } from '../../vault/vault.ts';
import { withHome } from '../lib/connect.ts';
import { interruptible } from '../lib/interruptible.ts';
import { report, type Shell } from '../lib/output.ts';
import { withProgress } from '../lib/progress.ts';

const manifestFile = 'till-backup.json';
/** Tables that lose rows only if an account moves away, so that counts before and after a copy limit the rows in the copy. */
const countedTables = ['accounts', 'customers', 'payments', 'refunds', 'disputes', 'events', 'users'];

/** Shows a command's progress, and interrupts it. */
interface Run {
  readonly show: (text: string) => void;
  readonly signal: AbortSignal;
}

type Counts = Readonly<Record<string, number>>;

interface Manifest {
  readonly format: 1;
  readonly created_at: string;
  readonly migrations: readonly string[];
  /** Row counts when the copy began and when it was complete. The counts of a restored database lie between them. */
  readonly rows_before: Counts;
  readonly rows_after: Counts;
}

async function countRows(db: Database): Promise<Counts> {
  const counts: Record<string, number> = {};
  for (const table of countedTables) {
    const [row] = await db.query<{ count: number }>({
      text: `select count(*) as count from ${table}`,
      scope: 'everybody',
    });
    counts[table] = row?.count ?? 0;
  }
  return counts;
}

async function appliedMigrations(db: Database): Promise<string[]> {
  const rows = await db.query<{ name: string }>({
    text: 'select name from schema_migrations order by name',
    scope: 'everybody',
  });
  return rows.map(({ name }) => name);
}

/** @throws OperatorError `folder_not_empty` */
async function requireEmpty(folder: string): Promise<void> {
  const names = await readdir(folder);
  if (names.length === 0) return;
  const isBrokenOff = names.every((name) => copiedNames.includes(name));
  throw new OperatorError(
    'folder_not_empty',
    `${folder} is not empty.${isBrokenOff ? ' It holds a backup that was broken off, or is being made: remove that, or name another folder.' : ''}`,
  );
}

async function backUp(shell: Shell, folder: string, { show, signal }: Run): Promise<object> {
  const config = readConfig(shell.environment, shell.folder);
  if (config.databaseUrl !== null) {
    throw new OperatorError(
      'own_database',
      'DATABASE_URL names a PostgreSQL server of your own: back it up with its own tools (docs/operating/back-up.md).',
    );
  }
  const target = resolve(folder);
  await makeFolder(target, 0o700).catch((error: unknown) => {
    throw new OperatorError('folder_not_made', `The folder ${target} cannot be made: ${messageOf(error)}.`);
  });
  await requireEmpty(target);
  return withHome(shell, async ({ db }) => {
    const rowsBefore = await countRows(db);
    let files = 0;
    const onFile = () => {
      files += 1;
      show(`copying: ${files} files`);
    };
    await copyRunningCluster(db, config.dataDir, target, { onFile, signal }).catch(async (error: unknown) => {
      // The folder was empty before, and has to be empty again for the next attempt.
      for (const name of copiedNames) await rm(join(target, name), { recursive: true, force: true });
      throw error;
    });
    show('counting what was copied');
    const manifest: Manifest = {
      format: 1,
      created_at: isoSeconds(systemClock.now()),
      migrations: await appliedMigrations(db),
      rows_before: rowsBefore,
      rows_after: await countRows(db),
    };
    // The manifest is written last: a folder without it is not a complete backup.
    await writeFile(join(target, manifestFile), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
    return { folder: target, created_at: manifest.created_at, rows: manifest.rows_after };
  });
}

const isMissing = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');

/** @throws OperatorError `no_backup`, `backup_not_read` */
async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, manifestFile);
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Manifest;
  } catch (error) {
    throw isMissing(error)
      ? new OperatorError('no_backup', `${folder} is no complete backup: it has no ${manifestFile}.`)
      : new OperatorError('backup_not_read', `${path} cannot be read: ${messageOf(error)}.`);
  }
}

/** @throws OperatorError `no_master_key` */
async function masterKeysOfEnvironment(shell: Shell): Promise<MasterKeys> {
  const config = readConfig(shell.environment, shell.folder);
  const current = await findMasterKey(config.masterKey, config.dataDir);
  if (current === undefined) {
    throw new OperatorError(
      'no_master_key',
      'There is no master key here. Set TILL_MASTER_KEY, or put the key file back into TILL_DATA_DIR first.',
    );
  }
  return deriveMasterKeys(current, config.masterKeyPrevious);
}

/** Starts a server on a restored data folder, checks the data, and stops the server. */
async function check(dataDir: string, manifest: Manifest, masterKeys: MasterKeys): Promise<object> {
  const postgres = await startEmbeddedPostgres({ dataDir });
  const db = openDatabase({
    url: postgres.url,
    connections: 2,
    applicationName: 'till restore',
    onError: () => {},
  });
  try {
    const migrations = await appliedMigrations(db);
    if (migrations.join() !== manifest.migrations.join()) {
      throw new OperatorError('backup_damaged', 'The schema is not the one that was backed up.');
    }
    const rows = await countRows(db);
    for (const table of countedTables) {
      const found = rows[table] ?? 0;
      const counts = [manifest.rows_before[table] ?? 0, manifest.rows_after[table] ?? 0];
      // The later count is the smaller one if an account moved to another cell during the copy.
      const [min, max] = [Math.min(...counts), Math.max(...counts)];
      if (found < min || found > max) {
        throw new OperatorError(
          'backup_damaged',
          `Table ${table} has ${found} rows; it had ${min} to ${max} when it was backed up.`,
        );
      }
    }
    await checkMasterKey(db, masterKeys, systemClock.now());
    const vault = new Vault({ db, clock: systemClock, randomBytes, masterKeys });
    return { rows, secrets_opened: await checkSecrets(db, vault) };
  } finally {
    await db.close();
    await postgres.stop();
  }
}

async function restore(
  shell: Shell,
  folder: string,
  onlyVerify: boolean,
  { show, signal }: Run,
): Promise<object> {
  const source = resolve(folder);
  const manifest = await readManifest(source);
  const config = readConfig(shell.environment, shell.folder);
  const masterKeys = await masterKeysOfEnvironment(shell);
  const { dataDir } = config;
  if (!onlyVerify) {
    if (await hasCluster(dataDir)) {
      throw new OperatorError('database_exists', `${dataDir} holds a database already`);
    }
    await makeFolder(dataDir, 0o700);
    await reserveForRestore(source, dataDir);
  }
  let work: string | undefined;
  try {
    // Checked in a folder in which no server looks for its data: no server may start on data that the check refuses.
    work = await makeVerificationFolder(onlyVerify ? tmpdir() : dataDir);
    show('copying the backup');
    await placeCluster(source, work, { signal });
    show('starting a server on the copy, and checking it');
    const found = await check(work, manifest, masterKeys);
    signal.throwIfAborted();
    if (onlyVerify) return { folder: source, created_at: manifest.created_at, ...found };
    await removeCopy(work);
    show('copying it to its place');
    await placeCluster(source, dataDir, { signal });
    return { folder: source, restored_to: dataDir, ...found };
  } finally {
    if (work !== undefined) await removeCopy(work);
    if (!onlyVerify) await giveUpRestore(dataDir);
  }
}

const run = (command: Command, work: (how: Run) => Promise<object>): Promise<object> =>
  withProgress(command, (show) => interruptible((signal) => work({ show, signal })));

export function backupCommands(program: Command, shell: Shell): void {
  program
    .command('backup')
    .description('copy the embedded database while it runs; keep the master key elsewhere')
    .argument('<folder>', 'new or empty')
    .action(function (this: Command, folder: string) {
      return report(this, shell, () => run(this, (how) => backUp(shell, folder, how)));
    });
  program
    .command('restore')
    .description('put a backup into TILL_DATA_DIR, which must hold no database, and check it')
    .argument('<folder>')
    .option('--verify', 'only check it, in a temporary folder')
    .action(function (this: Command, folder: string, options: { verify?: boolean }) {
      return report(this, shell, () =>
        run(this, (how) => restore(shell, folder, options.verify === true, how)),
      );
    });
}
