import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * Collects the licences of the packages in a bundle. Licences require that their text accompanies every copy, and a bundler drops
 * it.
 */
const licenceFile = /^(licen[cs]e|copying|notice)([-._].*)?$/i;

/**
 * The folder of the npm package that a file belongs to; undefined for Till's own files.
 * @param {string} file
 */
function packageFolder(file) {
  const path = file.replaceAll('\\', '/').replace(/\?.*$/, '');
  return /^\0?(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//s.exec(path)?.[1];
}

/** @param {string} folder */
function noticeOf(folder) {
  const { name, version, license, author, homepage } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  const files = readdirSync(folder)
    .filter((file) => licenceFile.test(file))
    .sort();
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  const by = typeof author === 'object' ? author?.name : author;
  const plain = [`No text of the licence comes with the package.`, by && `Author: ${by}`, homepage].filter(
    Boolean,
  );
  return { name, version, license, text: texts.length === 0 ? plain.join('\n') : texts.join('\n\n') };
}

/**
 * The text of THIRD-PARTY-NOTICES for a bundle: each package with its version, licence and licence text, sorted by name.
 * @param {Iterable<string>} inputs the files that went into the bundle
 * @param {string} [folder] the folder to which relative paths refer
 */
export function thirdPartyNotices(inputs, folder = process.cwd()) {
  const folders = new Set();
  for (const input of inputs) {
    const found = packageFolder(input);
    if (found !== undefined) folders.add(found.startsWith('/') ? found : join(folder, found));
  }
  const notices = [...folders].map(noticeOf).sort((a, b) => (a.name < b.name ? -1 : 1));
  const line = '-'.repeat(80);
  const parts = notices.map(
    ({ name, version, license, text }) => `${line}\n${name} ${version} (${license})\n${line}\n\n${text}\n`,
  );
  const first =
    notices.length === 0
      ? 'Nothing of third parties is in these files.\n'
      : 'Parts of these files come from the following packages, under their licences.\n';
  return [first, ...parts].join('\n');
}
