import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'vite';
import { putInPlace } from '../../tools/put-in-place.mjs';

/* Builds the application as vite.config.ts describes it. Needs the built contract: `tsc -b` runs first. */
const root = fileURLToPath(new URL('./', import.meta.url));

/** These are compressed by their format; source maps are for the one who built it. */
const asTheyAre = /\.(woff2|png|ico|map)$/;
/** Below this an answer fits into one packet anyway. */
const worthwhileBytes = 1024;
/** The best: sent to every browser, made once. */
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };

/** Writes each file's compressed forms beside it, so that no start of a server has to make them. */
async function compress(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isFile() || asTheyAre.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const plain = await readFile(path);
    if (plain.length < worthwhileBytes) continue;
    await writeFile(`${path}.br`, await promisify(brotliCompress)(plain, quality));
    await writeFile(`${path}.gz`, await promisify(gzip)(plain, { level: 9 }));
  }
}

await putInPlace(`${root}dist/app`, async (outDir) => {
  await build({ root, logLevel: 'warn', build: { outDir } });
  await compress(outDir);
});
