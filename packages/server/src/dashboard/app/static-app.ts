import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StaticFile } from '../../lib/web/static-file.ts';
import { type BuildManifest, preloadsOf } from './preloads.ts';

/** The application as the browser gets it: the page, and its files by their path below `/dashboard/`. */
export interface StaticApp {
  readonly page: StaticFile;
  readonly files: ReadonlyMap<string, StaticFile>;
  /** The `Link` header of the page at this path below `/dashboard/`. */
  readonly preloads: (path: string, hasQuery: boolean) => string | undefined;
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

/** Source maps are for the dashboard's developers. The others are compressed forms of the file beside them. */
const notServed = /\.(map|br|gz)$/;
const manifestPath = '.vite/manifest.json';

/** Reads the built application into memory. @returns undefined if it is not built */
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
    if (!entry.isFile() || notServed.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(relative(root, path).replaceAll(sep, '/'), await load(path));
  }
  const page = files.get('index.html');
  if (page === undefined) return undefined;
  const manifest = await readIfThere(join(root, manifestPath));
  const chunks = manifest === undefined ? {} : (JSON.parse(manifest.toString()) as BuildManifest);
  return { page, files, preloads: preloadsOf(chunks) };
}

async function load(path: string): Promise<StaticFile> {
  const [plain, brotli, gzip] = await Promise.all([
    readFile(path),
    readIfThere(`${path}.br`),
    readIfThere(`${path}.gz`),
  ]);
  return {
    contentType: types[extname(path)] ?? 'application/octet-stream',
    etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 27)}"`,
    plain,
    brotli,
    gzip,
  };
}

const readIfThere = (path: string): Promise<Buffer | undefined> =>
  readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
