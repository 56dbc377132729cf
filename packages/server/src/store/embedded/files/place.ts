import { createHash, randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, realpath, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createFile, replaceFile } from '../../../lib/files/durable-files.ts';
import { errorCode, exists, readIfThere, realpathIfThere } from '../../../lib/files/lookup.ts';
import { makeFolder } from '../../../lib/files/make-folder.ts';
import { type Account, isRoot, openBarrier, ourselves, SERVER_ACCOUNT } from './account.ts';

/** Holds the cluster if Till runs as root and the account that runs postgres cannot enter the data folder. */
export const SHARED_PARENT = '/var/lib/till';

const PRIVATE = 0o700;
// Others may pass through but not list.
const PASSAGE = 0o711;

/** The content of `<dataDir>/postgres.json`. */
interface Saved {
  id: string;
  password: string;
  /** The folder of the cluster and the binaries, if that is not the data folder. */
  home?: string;
  /** True once the cluster is complete. From then on a missing cluster is a data loss, not a first start. */
  initialised: boolean;
  /** The process that copies a backup here (`processMarkOf`), until the copy is in its place. */
  restoredBy?: string;
}

/** Identifies the processes of a cluster. */
export interface Cluster {
  /** PostgreSQL's data directory. */
  readonly cluster: string;
  /** Unique per data folder on this machine: the name of the socket folder and start lock, and part of process titles. */
  readonly name: string;
}

/** The paths and the stored state of one embedded server. */
export interface Place extends Cluster {
  /** Real path of the data folder. */
  readonly dataDir: string;
  /** The folder that holds cluster and private binaries. */
  readonly home: string;
  readonly logFile: string;
  readonly password: string;
  readonly initialised: boolean;
  readonly restoredBy: string | undefined;
}

/** Reads the place of a data folder; undefined before its first start. */
export async function findPlace(dataDir: string): Promise<Place | undefined> {
  const folder = await realpathIfThere(dataDir);
  if (folder === undefined) return undefined;
  const path = recordPath(folder);
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  const saved = parse(path, text);
  const home = saved.home ?? folder;
  // The path is part of the name, so that a copied data folder counts as a separate server.
  const name = `till-${createHash('sha256').update(`${folder}\n${saved.id}`).digest('hex').slice(0, 16)}`;
  return {
    dataDir: folder,
    home,
    cluster: (await realpathIfThere(join(home, 'postgres'))) ?? join(home, 'postgres'),
    logFile: join(folder, 'postgres.log'),
    name,
    password: saved.password,
    initialised: saved.initialised,
    restoredBy: saved.restoredBy,
  };
}

/** Whether a restore was begun here and has not finished. Its process may still run or may be gone. */
export const awaitsRestore = async ({ restoredBy, cluster }: Place): Promise<boolean> =>
  restoredBy !== undefined && !(await exists(cluster));

/**
 * Returns the place of a data folder. At the first start, chooses the place and stores it.
 * @param restore the password of the database that is restored there, and the process that does it; absent for a new database
 */
export async function preparePlace(
  dataDir: string,
  restore?: { readonly password: string; readonly by: string },
): Promise<Place> {
  await createFolder(dataDir, isRoot() ? PASSAGE : PRIVATE);
  const existing = await findPlace(dataDir);
  if (existing) return existing;
  const folder = await realpath(dataDir);
  if (await exists(join(folder, 'postgres'))) {
    const appeared = await findPlace(dataDir);
    if (appeared) return appeared;
    throw new Error(
      `${folder}/postgres holds a database, but its password file ${folder}/postgres.json is gone`,
    );
  }
  const id = randomBytes(8).toString('hex');
  const apart = isRoot() && (await openBarrier(folder, SERVER_ACCOUNT)) !== undefined;
  const home = apart ? await createHome(id) : undefined;
  const saved: Saved = {
    id,
    password: restore?.password ?? randomBytes(24).toString('base64url'),
    ...(home ? { home } : {}),
    initialised: false,
    ...(restore ? { restoredBy: restore.by } : {}),
  };
  await createFile(recordPath(folder), format(saved));
  const place = await findPlace(dataDir);
  if (!place) throw new Error(`${recordPath(folder)} vanished while the database was being set up`);
  // Another process was faster and chose its own home.
  if (home && place.home !== home) await rmdir(home);
  return place;
}

async function createHome(id: string): Promise<string> {
  await createFolder(SHARED_PARENT, PASSAGE);
  const home = join(await realpath(SHARED_PARENT), id);
  await createFolder(home, PASSAGE);
  return home;
}

/** Creates a folder, unless it exists, with this mode regardless of the umask. */
async function createFolder(path: string, mode: number): Promise<void> {
  await makeFolder(dirname(path));
  try {
    await mkdir(path, { mode });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    return;
  }
  await chmod(path, mode);
}

/** Resets a data folder in which no cluster was placed to the state before its first start. */
export async function forgetPlace({ dataDir, home }: Place): Promise<void> {
  await rm(recordPath(dataDir), { force: true });
  // If the folder is not empty, its files are not ours to remove.
  if (home !== dataDir) await rmdir(home).catch(() => {});
}

/** Records that the cluster is complete. */
export async function markInitialised(place: Place): Promise<void> {
  const path = recordPath(place.dataDir);
  const text = await readIfThere(path);
  if (text === undefined) throw new Error(`${path} vanished while the database was being set up`);
  const { restoredBy: _done, ...saved } = parse(path, text);
  await replaceFile(path, format({ ...saved, initialised: true }));
}

/**
 * The account that must run postgres on this place; undefined means the account of this process.
 * @throws Error if that account cannot reach its data
 */
export async function serverAccount(place: Place): Promise<Account | undefined> {
  const owner = await ownerOf(place.cluster);
  if (!isRoot()) {
    if (owner && owner.uid !== ourselves().uid) {
      throw new Error(
        `${place.cluster} belongs to user ${owner.uid}, Till runs as ${ourselves().uid}: ` +
          'start it as the user who started it first (root, most often)',
      );
    }
    return undefined;
  }
  const account = owner && owner.uid !== 0 ? owner : SERVER_ACCOUNT;
  const blocked = await openBarrier(dirname(place.cluster), account);
  if (blocked !== undefined) {
    throw new Error(
      `PostgreSQL, run as user ${account.uid}, may not pass through ${blocked}: chmod o+x ${blocked}`,
    );
  }
  return account;
}

async function ownerOf(path: string): Promise<Account | undefined> {
  try {
    const { uid, gid } = await lstat(path);
    return { uid, gid };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function recordPath(folder: string): string {
  return join(folder, 'postgres.json');
}

function format(saved: Saved): string {
  return `${JSON.stringify(saved, null, 2)}\n`;
}

function parse(path: string, text: string): Saved {
  let value: Partial<Record<keyof Saved, unknown>>;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(`${path} is not JSON`);
  }
  const { id, password, home, initialised, restoredBy } = value ?? {};
  if (typeof id !== 'string' || typeof password !== 'string') throw new Error(`${path} lacks id or password`);
  return {
    id,
    password,
    ...(typeof home === 'string' ? { home } : {}),
    initialised: initialised === true,
    ...(typeof restoredBy === 'string' ? { restoredBy } : {}),
  };
}
