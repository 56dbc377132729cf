import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from './until.ts';

/**
 * Prepares something that all test files share. The first process that needs it does so, and the others wait.
 * @param name of the folder, which is removed after all tests
 * @returns the folder
 * @throws Error if the preparing process has failed
 */
export async function prepareOnce(name: string, prepare: (folder: string) => Promise<void>): Promise<string> {
  const parent = process.env.TILL_TEST_SHARED;
  if (parent === undefined) throw new Error('TILL_TEST_SHARED must name a folder');
  const folder = join(parent, name);
  const prepared = join(parent, `${name}.prepared`);
  const isFirst = (await mkdir(folder, { recursive: true })) !== undefined;
  if (isFirst) {
    await prepare(folder);
    await writeFile(prepared, '');
  } else {
    await until(`another process has prepared ${name}`, () => existsSync(prepared), 100_000);
  }
  return folder;
}
