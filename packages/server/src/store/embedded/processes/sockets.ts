import { constants, existsSync } from 'node:fs';
import { access, chmod, lchown, lstat, mkdir, rm, rmdir } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '../../../lib/files/lookup.ts';
import { type Account, barrier, ourselves } from '../files/account.ts';
import type { Place } from '../files/place.ts';

const SOCKET = '.s.PGSQL.5432';
// sun_path holds 104 bytes on macOS, 108 on Linux.
const MAX_PATH_BYTES = 100;
// In the host of a URL, libpq treats a comma as the start of the next host.
const PLAIN = /^[\w./+-]+$/;
const ANSWER_MS = 1_000;
// PostgreSQL's SSLRequest message: the server answers it with one byte, before any authentication.
const GREETING = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** The socket folder of this place: a short path, the same at every start. */
export async function chooseSocketFolder(place: Place, account: Account | undefined): Promise<string> {
  const preferred = join(tmpdir(), place.name);
  const short = Buffer.byteLength(join(preferred, SOCKET)) < MAX_PATH_BYTES;
  return short && PLAIN.test(preferred) && (await isUsable(tmpdir(), account))
    ? preferred
    : join('/tmp', place.name);
}

async function isUsable(folder: string, account: Account | undefined): Promise<boolean> {
  try {
    await access(folder, constants.W_OK | constants.X_OK);
    return account === undefined || (await barrier(folder, account)) === undefined;
  } catch {
    return false;
  }
}

/**
 * Creates the folder, or accepts an existing folder only if no other user can have created it. Call it while holding the start
 * lock and while no server of this place runs.
 */
export async function prepareSocketFolder(folder: string, account: Account | undefined): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  const stats = await lstat(folder);
  const owners = [ourselves().uid, (account ?? ourselves()).uid];
  if (!stats.isDirectory() || !owners.includes(stats.uid)) {
    throw new Error(`${folder}, needed for the database's socket, belongs to user ${stats.uid}: remove it`);
  }
  await chmod(folder, 0o700);
  if (account) await lchown(folder, account.uid, account.gid);
  // Files that a killed server left. Postgres would honour the lock if its pid is now a zombie or another process.
  for (const name of [SOCKET, `${SOCKET}.lock`]) await rm(join(folder, name), { force: true });
}

/** Removes the folder unless it still contains a socket. */
export async function removeSocketFolder(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST', 'EBUSY'].includes(errorCode(error) ?? '')) throw error;
  }
}

/** Whether the folder still contains its socket, which programs that clean temporary folders may remove. */
export function hasSocket(folder: string): boolean {
  return existsSync(join(folder, SOCKET));
}

/** Whether a server answers on the socket in this folder. */
export function answers(folder: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(join(folder, SOCKET));
    const finish = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(ANSWER_MS, () => finish(false));
    socket.once('connect', () => socket.write(GREETING));
    socket.once('data', () => finish(true));
    socket.once('error', () => finish(false));
    socket.once('close', () => finish(false));
  });
}

/** The connection URL, for `pg` and libpq alike. */
export function connectionUrl(place: Place, folder: string): string {
  return `postgresql://till:${place.password}@/till?host=${folder}`;
}
