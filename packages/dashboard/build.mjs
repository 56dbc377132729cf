import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'vite';
import { putInPlace } from '../../tools/put-in-place.mjs';

/* Builds the application with vite.config.ts. It needs the built contract, so `tsc -b` has to run first. */
const root = fileURLToPath(new URL('./', import.meta.url));

/** Images and fonts are compressed by their own format; source maps serve only developers. */
const alreadyCompressed = /\.(woff2|png|ico|map)$/;
/** A smaller response fits into one packet anyway. */
const minCompressedBytes = 1024;
/** The highest quality: a file is compressed once and sent to every browser. */
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };

/** Writes compressed variants beside each file, so that the server does not have to compress at start. */
async function compress(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isFile() || alreadyCompressed.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const plain = await readFile(path);
    if (plain.length < minCompressedBytes) continue;
    await writeFile(`${path}.br`, await promisify(brotliCompress)(plain, quality));
    await writeFile(`${path}.gz`, await promisify(gzip)(plain, { level: 9 }));
  }
}

await putInPlace(`${root}dist/app`, async (outDir) => {
  await build({ root, logLevel: 'warn', build: { outDir } });
  await compress(outDir);
});
