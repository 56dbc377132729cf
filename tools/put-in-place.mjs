import { createHash, randomUUID } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, readlink, rename, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** How long old builds are kept, since running processes may still load files from them. */
const retentionMs = 60 * 60 * 1000;

async function hashOf(folder) {
  const hash = createHash('sha256');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  for (const path of paths.sort()) {
    hash
      .update(`${path.slice(folder.length)}\0`)
      .update(await readFile(path))
      .update('\0');
  }
  return hash.digest('hex').slice(0, 12);
}

/** Renames a new folder to its final name. If that exists, it has the same content, because the name has the hash of it. */
async function settle(fresh, folder) {
  try {
    await rename(fresh, folder);
  } catch (error) {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    await rm(fresh, { recursive: true });
  }
}

/** The target of a symbolic link; undefined if there is none, or if the path is a folder. */
const leadsTo = (place) => readlink(place).catch(() => undefined);

/** Replaces a symbolic link atomically: a reader finds either the old or the new target. */
async function pointAt(place, name, link) {
  await symlink(name, link);
  const there = await lstat(place).catch(() => undefined);
  // A folder is a build from before links were used.
  if (there?.isDirectory()) await rm(place, { recursive: true });
  await rename(link, place);
}

/** The suffixes of builds. Other files may begin with the same name. */
const isBuild = /^-(?:[0-9a-f]{12}|new-[0-9a-f-]{36}(?:-link)?)$/;

async function removeOld(place, keep, now) {
  const folder = dirname(place);
  const base = basename(place);
  for (const name of await readdir(folder)) {
    if (!name.startsWith(base) || !isBuild.test(name.slice(base.length)) || keep.includes(name)) continue;
    const found = await lstat(join(folder, name)).catch(() => undefined);
    if (found !== undefined && found.mtimeMs < now - retentionMs) {
      await rm(join(folder, name), { recursive: true, force: true });
    }
  }
}

/**
 * Builds into a new folder next to `place`, and then atomically makes `place` a symbolic link to it. Running processes keep using
 * the files that they started with: the previous build is kept, and older ones for an hour.
 * @param {string} place the path of the link to the result
 * @param {(folder: string) => Promise<unknown>} build writes everything into the folder
 * @param {number} [now] in milliseconds since 1970
 */
export async function putInPlace(place, build, now = Date.now()) {
  const name = basename(place);
  const fresh = `${place}-new-${randomUUID()}`;
  await mkdir(fresh, { recursive: true });
  try {
    await build(fresh);
    const settled = `${name}-${await hashOf(fresh)}`;
    await settle(fresh, join(dirname(place), settled));
    const former = await leadsTo(place);
    if (former === settled) return;
    await pointAt(place, settled, `${fresh}-link`);
    await removeOld(place, [settled, former], now);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    throw error;
  }
}
