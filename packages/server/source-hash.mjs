import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('../', import.meta.url));

/** Where a build leaves the hash of what it was made from. @param {string} output the folder that it writes */
export const recordIn = (output) => join(output, 'built-from');

/** What the build in use was made from. */
export const builtFrom = recordIn(fileURLToPath(new URL('dist/bundle', import.meta.url)));

/** A hash of all sources that a built server consists of, without their tests. @returns {Promise<string>} in hex */
export async function hashSources() {
  const hash = createHash('sha256');
  for (const name of ['contract', 'sandbox', 'server']) {
    const folder = join(packages, name, 'src');
    const files = await readdir(folder, { recursive: true });
    for (const file of files.filter((one) => one.endsWith('.ts') && !one.endsWith('.test.ts')).sort()) {
      hash
        .update(`${name}/${file}\0`)
        .update(await readFile(join(folder, file)))
        .update('\0');
    }
  }
  return hash.digest('hex');
}
