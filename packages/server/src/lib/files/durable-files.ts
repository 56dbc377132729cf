import { randomBytes } from 'node:crypto';
import { link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode, exists } from './lookup.ts';

/** The account of the operating system to which a new file is given. */
interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Replaces a file atomically: readers see either the old text or the new one, also after a power failure. */
export async function replaceFile(path: string, text: string, owner?: Owner): Promise<void> {
  const fresh = await writeBeside(path, text, owner);
  try {
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
  await syncPath(dirname(path));
}

/**
 * Creates a file that only this user may read, unless it exists already. The file is complete from the moment it becomes visible,
 * and survives a power failure once this has returned.
 */
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

async function writeBeside(path: string, text: string, owner?: Owner): Promise<string> {
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
