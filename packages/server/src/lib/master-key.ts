import { randomBytes } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from './files/make-folder.ts';

const fileIn = (dataDir: string) => join(dataDir, 'master.key');
const isError = (error: unknown, code: string) => (error as NodeJS.ErrnoException).code === code;

/**
 * The key that all others derive from: the configured one, else a file that only this user can read, made on first use.
 * It stays outside the database, so that a copy of the database alone reveals nothing.
 */
export async function loadMasterKey(configured: Buffer | null, dataDir: string): Promise<Buffer> {
  const found = await findMasterKey(configured, dataDir);
  if (found !== undefined) return found;
  await makeFolder(dataDir);
  await makeFile(fileIn(dataDir));
  return loadMasterKey(configured, dataDir);
}

/** The key as `loadMasterKey` gives it, or undefined where none is configured and none was made. */
export async function findMasterKey(configured: Buffer | null, dataDir: string): Promise<Buffer | undefined> {
  if (configured !== null) return configured;
  const path = fileIn(dataDir);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (isError(error, 'ENOENT')) return undefined;
    throw error;
  }
  const key = Buffer.from(text, 'base64');
  if (key.length < 32) {
    throw new Error(`${path} does not hold a key of 32 bytes; restore it from your backup.`);
  }
  return key;
}

/** The file appears with its key in it or not at all, and the first of two processes that make it wins. */
async function makeFile(path: string): Promise<void> {
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${randomBytes(32).toString('base64')}\n`);
    await file.sync();
    await link(draft, path);
  } catch (error) {
    if (!isError(error, 'EEXIST')) throw error;
  } finally {
    await file.close();
    await rm(draft);
  }
}
