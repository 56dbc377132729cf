import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { putInPlace } from '../../tools/put-in-place.mjs';
import { thirdPartyNotices } from '../../tools/third-party-notices.mjs';

/*
 * Bundles the script and the styles of the hosted checkout page, and writes an inventory of the bundles and their
 * licences. The same sources always produce the same bytes, so that anybody can rebuild and compare them.
 */
const here = new URL('./', import.meta.url);
const { version } = JSON.parse(await readFile(new URL('package.json', here), 'utf8'));

/** The source files that went into the bundles. */
const inputs = [];

/** @param {string} folder @param {string} source @param {string} name */
async function bundle(folder, source, name) {
  const { outputFiles, metafile } = await build({
    entryPoints: [new URL(`src/${source}`, here).pathname],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'iife',
    target: ['chrome100', 'firefox100', 'safari15'],
    charset: 'utf8',
    legalComments: 'none',
  });
  const [{ contents }] = outputFiles;
  await writeFile(join(folder, name), contents);
  inputs.push(...Object.keys(metafile.inputs));
  return {
    file: name,
    path: `/checkout/assets/${name.replace('.', `-${createHash('sha256').update(contents).digest('hex').slice(0, 12)}.`)}`,
    bytes: contents.length,
    integrity: `sha384-${createHash('sha384').update(contents).digest('base64')}`,
  };
}

await putInPlace(fileURLToPath(new URL('dist/page', here)), async (folder) => {
  const script = await bundle(folder, 'main.ts', 'checkout.js');
  const style = await bundle(folder, 'style.css', 'checkout.css');
  const inventory = {
    version,
    scripts: [
      {
        ...script,
        purpose: 'Formats and checks the card form, waits for the outcome, shows the bank’s page in a frame.',
        authorised_because: 'First-party code of this release; the page works without it.',
      },
    ],
    styles: [{ ...style, purpose: 'Look of the page. The colours of the shop are added after these bytes.' }],
  };
  await writeFile(join(folder, 'third-party-notices.txt'), thirdPartyNotices(inputs));
  await writeFile(join(folder, 'scripts.json'), `${JSON.stringify(inventory, null, 2)}\n`);
});
