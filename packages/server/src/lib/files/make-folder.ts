import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncPath } from './durable-files.ts';
import { errorCode } from './lookup.ts';

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** Flushes the entry of a new folder to disk. */
async function syncEntryOf(path: string): Promise<void> {
  try {
    await syncPath(dirname(path));
  } catch (error) {
    // EACCES: this user may write the parent but not read it. EINVAL: the file system cannot flush folders.
    if (!['EACCES', 'EINVAL'].includes(errorCode(error) ?? '')) throw error;
  }
}

/**
 * Creates a folder and its parents, unless it exists, so that they survive a power failure. Node's own `recursive` option loops
 * for ever on a file system that refuses to create a folder with ENOENT although the parent exists, such as /proc.
 * @param mode the mode of each created folder
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    if (await isFolder(path)) return;
    if (errorCode(error) !== 'ENOENT') throw error;
    const above = dirname(path);
    // Another process may create the parent, or this folder, meanwhile.
    if (!(await isFolder(above))) await makeFolder(above, mode);
    await mkdir(path, { mode }).catch(async (again: unknown) => {
      if (!(await isFolder(path))) throw again;
    });
  }
  await syncEntryOf(path);
}
