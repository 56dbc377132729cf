import { createHash, randomUUID } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, readlink, rename, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** What is read or loaded from a build for so long after the next one stays there. */
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

/** Gives a folder its name; one of that name has the same content. */
async function settle(fresh, folder) {
  try {
    await rename(fresh, folder);
  } catch (error) {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    await rm(fresh, { recursive: true });
  }
}

/** Where a link leads; undefined: there is none, or a folder stands there. */
const leadsTo = (place) => readlink(place).catch(() => undefined);

/** Makes the link lead elsewhere in one step: a reader finds the old or the new. */
async function pointAt(place, name, link) {
  await symlink(name, link);
  const there = await lstat(place).catch(() => undefined);
  // A build of before links were used.
  if (there?.isDirectory()) await rm(place, { recursive: true });
  await rename(link, place);
}

/** Names of builds: other files may begin like one. */
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
 * Builds into a new folder beside the place and then makes the place, a link, lead there in one step. What runs meanwhile
 * goes on with the files that it began with: the build before stays, and any other one for an hour.
 * @param {string} place where the result is found
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
