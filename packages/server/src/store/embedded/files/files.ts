import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import {
  chmod,
  copyFile,
  lchown,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  symlink,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Account, allows } from './account.ts';

const AT_ONCE = 32;

/** The `code` of a system error, such as ENOENT. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}

export async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** The text of a file, or undefined if it does not exist. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The path with symlinks resolved, or undefined if nothing is there. */
export async function realpathIfThere(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Replaces a file atomically: readers see either the old text or the new one, also after a power failure. */
export async function replaceFile(path: string, text: string, owner?: Account): Promise<void> {
  const fresh = await writeBeside(path, text, owner);
  try {
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
  await syncPath(dirname(path));
}

/** Creates a file unless it exists already. The file is complete from the moment it becomes visible. */
export async function createFile(path: string, text: string): Promise<void> {
  const fresh = await writeBeside(path, text);
  try {
    await link(fresh, path);
  } catch (error) {
    // ENOENT: another process found the file complete and removed our copy as a leftover.
    if (!['EEXIST', 'ENOENT'].includes(errorCode(error) ?? '') || !(await exists(path))) throw error;
  } finally {
    await rm(fresh, { force: true });
  }
  await syncPath(dirname(path));
}

async function writeBeside(path: string, text: string, owner?: Account): Promise<string> {
  const fresh = `${path}.new-${randomBytes(6).toString('hex')}`;
  // Exclusive creation does not follow a symlink that the folder's owner might have planted as a trap for root.
  const file = await open(fresh, 'wx', 0o600);
  try {
    await file.writeFile(text);
    if (owner) await file.chown(owner.uid, owner.gid);
    await file.sync();
  } finally {
    await file.close();
  }
  return fresh;
}

/** Flushes one file or folder to disk. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Flushes a folder and everything below it to disk. */
export async function syncTree(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  await inChunks(entries, async (entry) => {
    if (entry.isFile()) await syncPath(join(folder, entry.name));
  });
  for (const entry of entries) if (entry.isDirectory()) await syncTree(join(folder, entry.name));
  await syncPath(folder);
}

/** Gives a folder and everything below it to an account. */
export async function chownTree(folder: string, account: Account): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  await inChunks(entries, async (entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await chownTree(path, account);
    else await lchown(path, account.uid, account.gid);
  });
  await lchown(folder, account.uid, account.gid);
}

/** Rebuilds a folder elsewhere for `account`, with hard links where the file system permits them. */
export async function linkTree(source: string, target: string, account: Account): Promise<void> {
  await mkdir(target);
  // Overrides the umask, because the server's account is neither the owner nor in the group of this folder.
  await chmod(target, 0o755);
  const entries = await readdir(source, { withFileTypes: true });
  await inChunks(entries, async (entry) => {
    const from = join(source, entry.name);
    const to = join(target, entry.name);
    if (entry.isDirectory()) await linkTree(from, to, account);
    else if (entry.isSymbolicLink()) await symlink(await readlink(from), to);
    else await linkOrCopy(from, to, account);
  });
}

async function linkOrCopy(from: string, to: string, account: Account): Promise<void> {
  const stats = await lstat(from);
  const executable = (stats.mode & 0o100) !== 0;
  if (allows(stats, account, executable ? 'enter' : 'read')) {
    try {
      await link(from, to);
      return;
    } catch {
      // The target is on another device, or the kernel forbids links to files of other users: copy instead.
    }
  }
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  await chmod(to, executable ? 0o755 : 0o644);
  await syncPath(to);
}

async function inChunks<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += AT_ONCE) {
    await Promise.all(items.slice(at, at + AT_ONCE).map(work));
  }
}
