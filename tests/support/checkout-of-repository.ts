import { copyFile, mkdir, readdir, readlink, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesBelow } from './sources.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Copies the files of a release or clone: everything except what is installed or built. */
export async function copyRepository(to: string): Promise<void> {
  for (const path of filesBelow('')) {
    await mkdir(dirname(join(to, path)), { recursive: true });
    await copyFile(join(root, path), join(to, path));
  }
}

/**
 * Links a copy's dependencies as `npm ci` would install them, but without a network. The copy uses its own
 * packages and this checkout's npm packages.
 */
export async function linkDependencies(copy: string): Promise<void> {
  const [from, to] = [join(root, 'node_modules'), join(copy, 'node_modules')];
  await mkdir(join(to, '@till'), { recursive: true });
  await mkdir(join(to, '.bin'));
  for (const name of await readdir(from)) {
    if (name !== '@till' && name !== '.bin') await symlink(join(from, name), join(to, name));
  }
  for (const name of await readdir(join(from, '@till'))) {
    await symlink(await readlink(join(from, '@till', name)), join(to, '@till', name));
  }
  for (const name of await readdir(join(from, '.bin'))) {
    const target = resolve(from, '.bin', await readlink(join(from, '.bin', name)));
    const ours = target.startsWith(join(root, 'packages')) || target.startsWith(join(from, '@till'));
    const own = join(copy, target.slice(root.length));
    await symlink(ours ? own : target, join(to, '.bin', name));
  }
}
