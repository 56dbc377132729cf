import { copyFile, lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { syncPath } from '../../lib/files/durable-files.ts';
import { errorCode, exists } from '../../lib/files/lookup.ts';
import type { Database } from '../database.ts';
import { ourselves } from './files/account.ts';
import {
  awaitsRestore,
  findPlace,
  forgetPlace,
  markInitialised,
  type Place,
  preparePlace,
  serverAccount,
} from './files/place.ts';
import { chownTree, syncTree } from './files/trees.ts';
import { processHasEnded, processMarkOf, runningPostmaster } from './processes/processes.ts';
import { closeServer } from './processes/shutdown.ts';

/** Files that the server recreates at its start or that belong to one run of it (PostgreSQL, "Making a Base Backup"). */
const leftOut = new Set(['postmaster.pid', 'postmaster.opts', 'pg_internal.init']);
const emptied = new Set([
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
]);
const isLeftOut = (name: string) => leftOut.has(name) || name.startsWith('pgsql_tmp') || /\.new-/.test(name);
/** WAL segments and timeline history files. */
const isWal = (name: string) => /^[0-9A-F]{24}$|^[0-9A-F]{8}\.history$/.test(name);

const clusterFolder = 'postgres';
const passwordFile = 'postgres-password';
/** The entries that `copyRunningCluster` writes into its target folder. */
export const copiedNames: readonly string[] = [clusterFolder, passwordFile];

/** Reports the progress of a copy, which takes long, and can abort it. */
export interface Copying {
  /** Called after each copied file. */
  readonly onFile?: () => void;
  /** Aborts the copy before the next file. */
  readonly signal?: AbortSignal;
}

/**
 * Copies a running embedded server's data folder into `target/postgres`, so that a server started on the copy holds
 * everything that was committed before the copy ended. Payments continue meanwhile. The master key is not copied.
 * @param target an existing, empty folder
 * @param copying reports progress and can abort the copy
 * @throws if no server runs on the data folder, or if the copy fails or is aborted; then `target` is incomplete
 */
export async function copyRunningCluster(
  db: Database,
  dataDir: string,
  target: string,
  copying: Copying = {},
): Promise<void> {
  const place = await findPlace(dataDir);
  if (place === undefined) throw new Error(`${dataDir} holds no embedded database`);
  const copy = join(target, clusterFolder);
  const session = await db.session();
  try {
    // The slot keeps the WAL that is written meanwhile until it is copied. It is temporary and ends with this session.
    await session.query({
      text: 'select pg_create_physical_replication_slot($1, true, true)',
      values: [`till_backup_${process.pid}`],
    });
    await session.query({ text: `select pg_backup_start('till', true)` });
    await copyTree(place.cluster, copy, false, copying);
    const [stopped] = await session.query<{ labelfile: string; spcmapfile: string }>({
      text: 'select labelfile, spcmapfile from pg_backup_stop(false)',
    });
    await writeFile(join(copy, 'backup_label'), stopped?.labelfile ?? '', { mode: 0o600 });
    const wal = join(place.cluster, 'pg_wal');
    for (const name of await readdir(wal)) {
      // The server may meanwhile remove segments that this copy does not need.
      if (isWal(name)) await copyIfThere(join(wal, name), join(copy, 'pg_wal', name));
    }
  } finally {
    session.release();
  }
  await writeFile(join(target, passwordFile), `${place.password}\n`, { mode: 0o600 });
  await syncTree(target);
}

async function copyTree(source: string, target: string, isWithin: boolean, copying: Copying): Promise<void> {
  await mkdir(target, { mode: 0o700 });
  for (const entry of await readdir(source, { withFileTypes: true })) {
    if (isLeftOut(entry.name)) continue;
    const from = join(source, entry.name);
    const to = join(target, entry.name);
    if (entry.isDirectory()) {
      if (!isWithin && emptied.has(entry.name)) await makeEmpty(from, to);
      else await copyTree(from, to, true, copying);
    } else if (entry.isFile()) {
      copying.signal?.throwIfAborted();
      await copyIfThere(from, to);
      copying.onFile?.();
    }
  }
}

/** Creates an empty folder. Subfolders such as `pg_wal/archive_status` must exist, but empty. */
async function makeEmpty(source: string, target: string): Promise<void> {
  await mkdir(target, { mode: 0o700 });
  if (!source.endsWith('pg_wal')) return;
  for (const entry of await readdir(source, { withFileTypes: true })) {
    if (entry.isDirectory()) await mkdir(join(target, entry.name), { mode: 0o700 });
  }
}

/** Skips a missing file: it belongs to a table that was dropped during the copy, and the WAL records the drop. */
async function copyIfThere(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

/** Makes a folder to verify a copy in, named after this process. Removes such folders of processes that have ended. */
export async function makeVerificationFolder(parent: string): Promise<string> {
  for (const name of await readdir(parent)) {
    if (await isLeftOfCheck(parent, name)) await removeIfOurs(join(parent, name));
  }
  return mkdtemp(join(parent, `till-verify-${processMarkOf(process.pid)}-`));
}

async function isLeftOfCheck(parent: string, name: string): Promise<boolean> {
  const [, by] = /^till-verify-(\d+(?:\.\d+)?)-/.exec(name) ?? [];
  if (by !== undefined) return processHasEnded(by);
  // Earlier versions put no process in the name. Other programs may use such names too, so look for our record.
  return /^till-verify-[A-Za-z0-9]{6}$/.test(name) && (await exists(join(parent, name, 'postgres.json')));
}

/** Checks the owner first: in a shared temporary folder anyone may create this name, with a record that points anywhere. */
async function removeIfOurs(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isDirectory() === true && found.uid === ourselves().uid) await removeCopy(path);
}

/** Removes a data folder in which a copy was verified: its server, its files and its home, if that is elsewhere. */
export async function removeCopy(dataDir: string): Promise<void> {
  const place = await findPlace(dataDir);
  if (place !== undefined) {
    const running = await runningPostmaster(place);
    if (running !== undefined) await closeServer(place, running);
    await rm(place.home, { recursive: true, force: true });
  }
  await rm(dataDir, { recursive: true, force: true });
}

/** Whether a data folder holds a database, or a running process is restoring one there. */
export async function hasCluster(dataDir: string): Promise<boolean> {
  const place = await findPlace(dataDir);
  return place !== undefined && !(await wasInterrupted(place));
}

/** Whether the process that was restoring a backup there ended before it had finished. */
async function wasInterrupted(place: Place): Promise<boolean> {
  return place.restoredBy !== undefined && (await awaitsRestore(place)) && processHasEnded(place.restoredBy);
}

const copyBeside = ({ cluster }: Place): string => `${cluster}.new-restore`;

/** Removes the files that an interrupted restore left behind. */
async function removeInterrupted(dataDir: string): Promise<void> {
  const place = await findPlace(dataDir);
  if (place === undefined) return;
  await rm(copyBeside(place), { recursive: true, force: true });
  await forgetPlace(place);
}

const passwordOf = async (backup: string): Promise<string> =>
  (await readFile(join(backup, passwordFile), 'utf8')).trim();

/** Reserves a data folder without a database for a backup, so that no server creates a new database there before the restore. */
export async function reserveForRestore(backup: string, dataDir: string): Promise<void> {
  await removeInterrupted(dataDir);
  await preparePlace(dataDir, { password: await passwordOf(backup), by: processMarkOf(process.pid) });
}

/** Call it if the backup is rejected: it leaves the data folder as it was before `reserveForRestore`. */
export async function giveUpRestore(dataDir: string): Promise<void> {
  const place = await findPlace(dataDir);
  if (place?.restoredBy === processMarkOf(process.pid) && (await awaitsRestore(place))) {
    await removeInterrupted(dataDir);
  }
}

/**
 * Puts a copied cluster into a data folder that has none yet; the next start of a server there recovers it. If the copy fails,
 * the folder is left as before.
 * @throws if the folder already holds a database, or if `backup` is not a complete backup
 */
export async function placeCluster(backup: string, dataDir: string, copying: Copying = {}): Promise<void> {
  const source = join(backup, clusterFolder);
  if (!(await exists(join(source, 'backup_label')))) throw new Error(`${backup} is no complete backup`);
  if (await hasCluster(dataDir)) throw new Error(`${dataDir} holds a database already`);
  const password = await passwordOf(backup);
  await removeInterrupted(dataDir);
  const place = await preparePlace(dataDir, { password, by: processMarkOf(process.pid) });
  if (place.password !== password) throw new Error(`${dataDir} holds a database already`);
  const fresh = copyBeside(place);
  try {
    await copyTree(source, fresh, true, copying);
    const account = await serverAccount(place);
    if (account !== undefined) await chownTree(fresh, account);
    await syncTree(fresh);
    await rename(fresh, place.cluster);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    // A server that was started there meanwhile may have created its own cluster, which stays.
    if (!(await exists(place.cluster))) await forgetPlace(place);
    throw error;
  }
  await syncPath(place.home);
  await markInitialised(place);
}
