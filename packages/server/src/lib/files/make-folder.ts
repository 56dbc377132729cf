import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined);

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/**
 * Makes a folder, and those above it, unless it is there. Node's own `recursive` never ends where a file system makes no folder and
 * says that there is none above, as /proc does.
 * @param mode of each folder that is made
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    if (await isFolder(path)) return;
    const above = dirname(path);
    if (codeOf(error) !== 'ENOENT' || (await isFolder(above))) throw error;
    await makeFolder(above, mode);
    await mkdir(path, { mode }).catch(async (again: unknown) => {
      // Another process made it meanwhile.
      if (!(await isFolder(path))) throw again;
    });
  }
}
