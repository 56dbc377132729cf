import { lstat, rm } from 'node:fs/promises';
import { exists } from '../../lib/files/lookup.ts';
import { prepareBinaries } from './binaries.ts';
import { createCluster, removeLeftovers } from './cluster.ts';
import type { Account } from './files/account.ts';
import { awaitsRestore, findPlace, markInitialised, type Place, serverAccount } from './files/place.ts';
import { chownTree } from './files/trees.ts';
import { launch } from './launch.ts';
import { endAbandoned } from './processes/abandoned.ts';
import {
  isAlive,
  type PidFile,
  pidFilePath,
  readPidFile,
  runningPostmaster,
  serverProcesses,
} from './processes/processes.ts';
import { haltServer, signalServer } from './processes/shutdown.ts';
import { answers, hasSocket } from './processes/sockets.ts';
import { withStartLock } from './processes/start-lock.ts';
import { poll } from './processes/wait.ts';

const RECOVERY_MS = 60_000;
const SILENCE_MS = 5_000;
const ORPHANS_MS = 30_000;
const ORPHANS_QUIT_MS = 1_000;
const ORPHANS_KILL_MS = 5_000;

/** A server that accepts connections. */
export interface Server {
  readonly pid: number;
  readonly socketFolder: string;
  readonly adopted: boolean;
}

export interface OpenOptions {
  readonly log: (message: string) => void;
  readonly binaries?: string | undefined;
  /** Set for a restart: the socket folder that the URL already names. In a restart a missing cluster is an error. */
  readonly socketFolder?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Takes over the server that runs on this place, or starts one. */
export function openServer(known: Place, options: OpenOptions): Promise<Server> {
  return withStartLock(known, options.signal, async () => {
    const place = await findPlace(known.dataDir);
    // The data folder was deleted, and perhaps created again with a password that differs from the one in the URL.
    if (place?.name !== known.name || !(await exists(place.home))) throw missing(known);
    const account = await serverAccount(place);
    await endAbandoned(place, options.log);
    for (;;) {
      const running = await runningPostmaster(place);
      const server = running ? await adopt(place, running, options) : await start(place, account, options);
      if (server) return server;
    }
  });
}

/** Waits until the running server accepts connections. Returns undefined if it ends instead. */
async function adopt(place: Place, found: PidFile, options: OpenOptions): Promise<Server | undefined> {
  let silentSince = Date.now();
  const outcome = await poll<Server | 'gone' | 'stop'>(
    async () => {
      const now = await runningPostmaster(place);
      if (now?.pid !== found.pid) return 'gone';
      if (now.status === 'stopping') return 'stop';
      // The server creates its socket before it sets the status to ready, so the socket was removed since.
      if (now.status === 'ready' && !hasSocket(now.socketFolder)) return 'stop';
      if (now.status !== 'ready') {
        silentSince = Date.now();
      } else if (await answers(now.socketFolder)) {
        return { pid: now.pid, socketFolder: now.socketFolder, adopted: true };
      }
      return Date.now() - silentSince > SILENCE_MS ? 'stop' : undefined;
    },
    { timeoutMs: RECOVERY_MS, signal: options.signal },
  );
  if (outcome === undefined) {
    throw new Error(
      `the database in ${place.cluster} is still recovering; see ${place.logFile}, then start again`,
    );
  }
  if (outcome === 'gone') return undefined;
  if (outcome !== 'stop') return outcome;
  options.log(`the database server ${found.pid} is going down or answers nobody; waiting for its end`);
  await haltServer(place, found.pid);
  return undefined;
}

async function start(
  place: Place,
  account: Account | undefined,
  options: OpenOptions,
): Promise<Server | undefined> {
  const free = await waitUntilFree(place, options);
  if (!free) return undefined;
  if (await awaitsRestore(place)) throw interrupted(place);
  await removeLeftovers(place);
  const native = await prepareBinaries(place, account, options.binaries);
  await ensureCluster(place, native, account, options);
  const started = await launch(place, { ...options, native, account });
  return started && { ...started, adopted: false };
}

async function ensureCluster(
  place: Place,
  native: string,
  account: Account | undefined,
  options: OpenOptions,
): Promise<void> {
  if (await exists(place.cluster)) {
    // For example, root restored the data from an archive.
    const ownedByRoot = (await lstat(place.cluster)).uid === 0;
    if (account && ownedByRoot) await chownTree(place.cluster, account);
    if (!place.initialised) await markInitialised(place);
    return;
  }
  if (place.initialised || options.socketFolder !== undefined) throw missing(place);
  const began = Date.now();
  await createCluster(place, native, account);
  options.log(`created the database cluster ${place.cluster} in ${Date.now() - began} ms`);
}

/** The start fails here, because a new empty database would be mistaken for the restored one. */
function interrupted(place: Place): Error {
  return new Error(
    `a backup is being restored to ${place.dataDir}, or was not to its end: wait for it, or call till restore again`,
  );
}

function missing(place: Place): Error {
  return new Error(
    `the database in ${place.cluster} has vanished: bring it back, ` +
      `or remove ${place.dataDir}/postgres.json to begin with an empty one`,
  );
}

/**
 * Waits for the orphaned processes of a killed postmaster to end, and removes its pid file.
 * @returns false if a postmaster was started meanwhile
 */
async function waitUntilFree(place: Place, options: OpenOptions): Promise<boolean> {
  const began = Date.now();
  const signalled = new Set<string>();
  const outcome = await poll(
    async () => {
      if (await runningPostmaster(place)) return 'taken';
      const pids = await serverProcesses(place);
      if (pids.length === 0) return 'free';
      const waited = Date.now() - began;
      const signal = waited > ORPHANS_KILL_MS ? 'SIGKILL' : waited > ORPHANS_QUIT_MS ? 'SIGQUIT' : undefined;
      for (const pid of signal ? pids : []) {
        if (signal && !signalled.has(signal + pid)) await signalServer(place, pid, signal);
        signalled.add(`${signal}${pid}`);
      }
      return undefined;
    },
    { timeoutMs: ORPHANS_MS, signal: options.signal },
  );
  if (outcome === undefined) {
    const pids = await serverProcesses(place);
    throw new Error(`processes of an earlier server still use ${place.cluster}: ${pids.join(', ')}`);
  }
  if (outcome === 'free') await removeStalePidFile(place);
  return outcome === 'free';
}

/** Removes a pid file only if it would stop postgres, which itself carefully removes the file of a dead process. */
async function removeStalePidFile(place: Place): Promise<void> {
  const file = await readPidFile(place);
  if (!file || (file.pid > 0 && !isAlive(file.pid))) return;
  if ((await serverProcesses(place)).length > 0) return;
  if ((await readPidFile(place))?.text === file.text) await rm(pidFilePath(place), { force: true });
}
