import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createFile } from './files/durable-files.ts';
import { readIfThere } from './files/lookup.ts';
import { makeFolder } from './files/make-folder.ts';

const fileIn = (dataDir: string) => join(dataDir, 'master.key');

/**
 * Loads the key from which all others are derived: the configured one, or else a file that only this user can read, created on
 * first use. It stays outside the database, so that a copy of the database alone reveals nothing.
 */
export async function loadMasterKey(configured: Buffer | null, dataDir: string): Promise<Buffer> {
  const found = await findMasterKey(configured, dataDir);
  if (found !== undefined) return found;
  await makeFolder(dataDir);
  // If several processes create it, the first one wins.
  await createFile(fileIn(dataDir), `${randomBytes(32).toString('base64')}\n`);
  return loadMasterKey(configured, dataDir);
}

/** Like `loadMasterKey`, but returns undefined if no key is configured and none was created. */
export async function findMasterKey(configured: Buffer | null, dataDir: string): Promise<Buffer | undefined> {
  if (configured !== null) return configured;
  const path = fileIn(dataDir);
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  const key = Buffer.from(text, 'base64');
  if (key.length < 32) {
    throw new Error(`${path} does not hold a key of 32 bytes; restore it from your backup.`);
  }
  return key;
}
