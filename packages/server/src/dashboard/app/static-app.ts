import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { StaticFile } from '../../lib/static-file.ts';

/** The application as the browser gets it: the page, and its files by their path below `/dashboard/`. */
export interface StaticApp {
  readonly page: StaticFile;
  readonly files: ReadonlyMap<string, StaticFile>;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
};

/** These are compressed by their format. */
const dense = new Set(['.woff2', '.png', '.ico']);
/** Below this an answer fits into one packet anyway. */
const worthwhileBytes = 1024;
/** Fast enough for every start, and within a few percent of the best. */
const brotliQuality = 9;

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** Reads the built application into memory. @returns undefined where it was not built */
export async function loadStaticApp(folder: URL): Promise<StaticApp | undefined> {
  const root = fileURLToPath(folder);
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    },
  );
  const files = new Map<string, StaticFile>();
  for (const entry of entries) {
    // Source maps are for whoever built it.
    if (!entry.isFile() || entry.name.endsWith('.map')) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(relative(root, path).replaceAll(sep, '/'), await load(path));
  }
  const page = files.get('index.html');
  return page === undefined ? undefined : { page, files };
}

async function load(path: string): Promise<StaticFile> {
  const plain = await readFile(path);
  const extension = extname(path);
  const worthwhile = plain.length >= worthwhileBytes && !dense.has(extension);
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } };
  const [brotli, gzipped] = worthwhile
    ? await Promise.all([compressBrotli(plain, quality), compressGzip(plain, { level: 9 })])
    : [undefined, undefined];
  return {
    contentType: types[extension] ?? 'application/octet-stream',
    etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 27)}"`,
    plain,
    brotli,
    gzip: gzipped,
  };
}
