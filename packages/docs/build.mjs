import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'esbuild';
import { putInPlace } from '../../tools/put-in-place.mjs';
import { thirdPartyNotices } from '../../tools/third-party-notices.mjs';
import { renderSite } from './dist/site.js';

/*
 * Renders the documentation from the repository and writes it to dist/site, compressed, with a list of the files for
 * the server. The same sources always produce the same bytes. Needs the output of `tsc -b`.
 */
const here = new URL('./', import.meta.url);
const repository = new URL('../../', here);
const { version } = JSON.parse(await readFile(new URL('package.json', here), 'utf8'));

const hashOf = (content) => createHash('sha256').update(content).digest();
const files = [];
/** The source files that went into the bundles. */
const inputs = [];

/**
 * Adds a file with a name that depends on its content.
 * @param {string} name
 * @param {string} contentType
 * @param {string | Uint8Array} content
 */
function addAsset(name, contentType, content) {
  const path = `/docs/assets/${name.replace('.', `-${hashOf(content).toString('hex').slice(0, 12)}.`)}`;
  files.push({ path, kind: 'asset', contentType, content });
  return path;
}

/** @param {string} source @param {string} name @param {string} contentType */
async function bundle(source, name, contentType) {
  const { outputFiles, metafile } = await build({
    entryPoints: [new URL(`src/browser/${source}`, here).pathname],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'iife',
    target: ['chrome123', 'edge123', 'firefox121', 'safari17.5'],
    charset: 'utf8',
    legalComments: 'none',
  });
  inputs.push(...Object.keys(metafile.inputs));
  return addAsset(name, contentType, outputFiles[0].contents);
}

const javascript = 'text/javascript; charset=utf-8';

/** Redoc's logo is its only URL on another origin, and the page's policy would refuse it. */
const redocLogo = 'https://cdn.redoc.ly/redoc/logo-mini.svg';
const noPicture =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 width=%221%22 height=%221%22/%3E';

const noticesPath = '/docs/third-party-notices.txt';

/** Bundles Redoc last, together with the licences of all bundles. */
async function redoc() {
  const file = createRequire(import.meta.url).resolve('redoc/bundles/redoc.standalone.js');
  inputs.push(file);
  // Redoc is itself a bundle, and the file beside it lists the licences of its parts.
  const content = `${thirdPartyNotices(inputs)}\n${await readFile(`${file}.LICENSE.txt`, 'utf8')}`;
  files.push({ path: noticesPath, kind: 'text', contentType: 'text/plain; charset=utf-8', content });
  const bundled = await readFile(file, 'utf8');
  if (!bundled.includes(redocLogo)) throw new Error('Redoc has another logo now: see where it comes from.');
  const text = bundled
    .replaceAll(redocLogo, noPicture)
    .replace(/\/\*! For license information please see \S+ \*\//, `/*! Licences: ${noticesPath} */`)
    .replace(/\n?\/\/# sourceMappingURL=.*\s*$/, '\n');
  return addAsset('redoc.js', javascript, text);
}

const assets = {
  style: await bundle('page.css', 'docs.css', 'text/css; charset=utf-8'),
  referenceStyle: await bundle('reference.css', 'reference.css', 'text/css; charset=utf-8'),
  script: await bundle('page.ts', 'docs.js', javascript),
  theme: await bundle('theme.ts', 'theme.js', javascript),
  reference: await bundle('reference.ts', 'reference.js', javascript),
  redoc: await redoc(),
  icon: addAsset(
    'icon.svg',
    'image/svg+xml',
    await readFile(new URL('packages/dashboard/src/icon.svg', repository)),
  ),
};

for (const { path, kind, contentType, text } of renderSite({
  read: (name) => readFileSync(new URL(name, repository), 'utf8'),
  list: (folder) =>
    readdirSync(new URL(`${folder}/`, repository))
      .filter((name) => name.endsWith('.md'))
      .sort(),
  assets,
  addIndex: (index) => addAsset('search.json', 'application/json; charset=utf-8', index),
  version,
})) {
  files.push({ path, kind, contentType, content: text });
}

const brotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);
/** A smaller response fits into one packet anyway. */
const minCompressedBytes = 1024;

await putInPlace(fileURLToPath(new URL('dist/site', here)), async (folder) => {
  const listed = [];
  for (const [number, { path, kind, contentType, content }] of files.entries()) {
    const plain = Buffer.from(content);
    const file = `${number}-${path.split('/').at(-1)}`;
    const isCompressed = plain.length >= minCompressedBytes;
    await writeFile(join(folder, file), plain);
    if (isCompressed) {
      const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
      await writeFile(join(folder, `${file}.br`), await brotli(plain, quality));
      await writeFile(join(folder, `${file}.gz`), await compressGzip(plain, { level: 9 }));
    }
    const etag = `"${hashOf(plain).toString('base64url').slice(0, 27)}"`;
    listed.push({ path, file, kind, contentType, etag, isCompressed });
  }
  await writeFile(join(folder, 'files.json'), `${JSON.stringify(listed, null, 1)}\n`);
});
