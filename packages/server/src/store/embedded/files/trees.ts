import { constants } from 'node:fs';
import { chmod, copyFile, lchown, link, lstat, mkdir, readdir, readlink, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { syncPath } from '../../../lib/files/durable-files.ts';
import { type Account, allows } from './account.ts';

const AT_ONCE = 32;

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
