import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { errorCode } from '../../../lib/files/lookup.ts';
import type { Place } from '../files/place.ts';
import { poll } from './wait.ts';

type Release = () => Promise<void>;

const TIMEOUT_MS = 180_000;
// A flag of BSD's open(2) that is missing in Node's constants.
const O_EXLOCK = 0x20;

/** Runs `work` while no other process starts a server on this place. The kernel releases the lock of a dead process. */
export async function withStartLock<T>(
  place: Place,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const release = await poll(() => tryLock(place), { timeoutMs: TIMEOUT_MS, signal });
  if (!release) {
    throw new Error(`another process has been starting the database in ${place.dataDir} for too long`);
  }
  try {
    return await work();
  } finally {
    await release();
  }
}

/** Runs `work` unless a process is starting a server on this place. */
export async function ifStartLockFree(place: Place, work: () => Promise<void>): Promise<void> {
  const release = await tryLock(place);
  if (!release) return;
  try {
    await work();
  } finally {
    await release();
  }
}

function tryLock(place: Place): Promise<Release | undefined> {
  return process.platform === 'linux' ? lockByName(place) : lockByFile(place);
}

/** Binds an abstract socket, which only one process can hold at a time and which ends with that process. */
function lockByName(place: Place): Promise<Release | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error) => {
      if (errorCode(error) === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    // Exclusive, because a worker of `node:cluster` would otherwise share the primary's socket.
    server.listen({ path: `\0${place.name}`, exclusive: true }, () => {
      resolve(() => new Promise((closed) => server.close(() => closed())));
    });
  });
}

async function lockByFile(place: Place): Promise<Release | undefined> {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK | O_EXLOCK;
  try {
    const file = await open(join(place.dataDir, 'postgres.lock'), flags, 0o600);
    return () => file.close();
  } catch (error) {
    // ENOENT: the data folder was deleted, so there is nothing to start.
    if (['EAGAIN', 'ENOENT'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}
