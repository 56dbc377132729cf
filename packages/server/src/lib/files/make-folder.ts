import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined);

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/**
 * Creates a folder and its parents, unless it exists. Node's own `recursive` option loops for ever on a file system that refuses
 * to create a folder with ENOENT although the parent exists, such as /proc.
 * @param mode the mode of each created folder
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
      // Another process may have created it meanwhile.
      if (!(await isFolder(path))) throw again;
    });
  }
}
