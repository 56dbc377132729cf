import type { Cluster, Place } from '../files/place.ts';
import { isServer, runningPostmaster } from './processes.ts';
import { removeSocketFolder } from './sockets.ts';
import { ifStartLockFree } from './start-lock.ts';
import { poll } from './wait.ts';

const FAST_SHUTDOWN_MS = 20_000;
const IMMEDIATE_SHUTDOWN_MS = 10_000;

/** Stops a server with a fast shutdown and, if that takes too long, with an immediate shutdown. */
export async function haltServer(place: Cluster, pid: number): Promise<void> {
  for (const [signal, timeoutMs] of [
    ['SIGINT', FAST_SHUTDOWN_MS],
    ['SIGQUIT', IMMEDIATE_SHUTDOWN_MS],
  ] as const) {
    await signalServer(place, pid, signal);
    if (await poll(async () => ((await isServer(place, pid)) ? undefined : true), { timeoutMs })) return;
  }
  throw new Error(`the database server ${pid} in ${place.cluster} does not stop`);
}

/** Stops the server and removes its socket folder from the temporary folder. */
export async function closeServer(
  place: Place,
  server: { pid: number; socketFolder: string },
): Promise<void> {
  await haltServer(place, server.pid);
  // A process that is starting the next server may already rely on the folder.
  await ifStartLockFree(place, async () => {
    if (!(await runningPostmaster(place))) await removeSocketFolder(server.socketFolder);
  });
}

/** Sends a signal, unless the process is not, or no longer, a server of this cluster. */
export async function signalServer(place: Cluster, pid: number, signal: NodeJS.Signals): Promise<void> {
  if (!(await isServer(place, pid))) return;
  try {
    process.kill(pid, signal);
  } catch {
    // The process has just ended, or we may not signal it; the caller checks again.
  }
}
