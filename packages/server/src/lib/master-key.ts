import { randomBytes } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from './files/make-folder.ts';

const fileIn = (dataDir: string) => join(dataDir, 'master.key');
const isError = (error: unknown, code: string) => (error as NodeJS.ErrnoException).code === code;

/**
 * Loads the key from which all others are derived: the configured one, or else a file that only this user can read, created on
 * first use. It stays outside the database, so that a copy of the database alone reveals nothing.
 */
export async function loadMasterKey(configured: Buffer | null, dataDir: string): Promise<Buffer> {
  const found = await findMasterKey(configured, dataDir);
  if (found !== undefined) return found;
  await makeFolder(dataDir);
  await makeFile(fileIn(dataDir));
  return loadMasterKey(configured, dataDir);
}

/** Like `loadMasterKey`, but returns undefined if no key is configured and none was created. */
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

/** Creates the file atomically, complete with its key. If two processes create it, the first one wins. */
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
