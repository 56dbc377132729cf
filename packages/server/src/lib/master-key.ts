import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The key that all others derive from: the configured one, else a file that only this user can read, made on first use.
 * It stays outside the database, so that a copy of the database alone tells nothing.
 */
export async function loadMasterKey(configured: Buffer | null, dataDir: string): Promise<Buffer> {
  if (configured !== null) return configured;
  const path = join(dataDir, 'master.key');
  await mkdir(dataDir, { recursive: true });
  const made = randomBytes(32);
  try {
    const file = await open(path, 'wx', 0o600);
    await file.writeFile(`${made.toString('base64')}\n`);
    await file.sync();
    await file.close();
    return made;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const key = Buffer.from(await readFile(path, 'utf8'), 'base64');
  if (key.length < 32)
    throw new Error(`${path} does not hold a key of 32 bytes; restore it from your backup.`);
  return key;
}
