import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { putInPlace } from '../../tools/put-in-place.mjs';
import { thirdPartyNotices } from '../../tools/third-party-notices.mjs';
import { bundleOptions, ownAddresses } from './bundle-options.mjs';
import { hashSources, recordIn } from './source-hash.mjs';

/*
 * Puts what the compiler made, and the libraries that it uses, into a few files: to find and open a thousand of them takes
 * longer than everything else that a command does. Each source stays readable.
 */
const here = fileURLToPath(new URL('./', import.meta.url));

/** @param {string} output */
async function bundle(output) {
  const { metafile } = await build({
    ...bundleOptions,
    entryPoints: [`${here}dist/main.js`],
    outdir: output,
    metafile: true,
    legalComments: 'none',
    plugins: [ownAddresses(output)],
  });
  const bundled = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs));
  await writeFile(`${output}/third-party-notices.txt`, thirdPartyNotices(bundled));
  // Tests that run the built server refuse one that is older than its source.
  await writeFile(recordIn(output), await hashSources());
}

await putInPlace(`${here}dist/bundle`, bundle);
