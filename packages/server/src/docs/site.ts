import { readFile } from 'node:fs/promises';
import { builtFolder } from '../lib/web/built-folder.ts';
import type { StaticFile } from '../lib/web/static-file.ts';

/** The folder to which the documentation's build writes its pages. */
const builtSite = new URL('../../../docs/dist/site/', import.meta.url);

/** `page` and `reference` are pages with different content security policies; an `asset` has its hash in its name. */
type DocsKind = 'page' | 'reference' | 'asset' | 'text';

/** An entry of the list that the build of `packages/docs` writes. */
interface Listed {
  readonly path: string;
  readonly file: string;
  readonly kind: DocsKind;
  readonly contentType: string;
  readonly etag: string;
  readonly isCompressed: boolean;
}

export interface DocsFile extends StaticFile {
  readonly kind: DocsKind;
}

/** The files of the built documentation by path. */
export type DocsSite = ReadonlyMap<string, DocsFile>;

/** Reads the built documentation into memory, including its compressed files. @returns undefined if it was not built */
export async function loadDocsSite(folder = builtFolder(builtSite)): Promise<DocsSite | undefined> {
  const list = await readFile(new URL('files.json', folder), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (list === undefined) return undefined;
  const files = (JSON.parse(list) as readonly Listed[]).map(
    async ({ path, file, kind, contentType, etag, isCompressed }) => {
      const read = (ending: string) => readFile(new URL(file + ending, folder));
      const [plain, brotli, gzip] = await Promise.all([
        read(''),
        isCompressed ? read('.br') : undefined,
        isCompressed ? read('.gz') : undefined,
      ]);
      return [path, { kind, contentType, etag, plain, brotli, gzip }] as const;
    },
  );
  return new Map(await Promise.all(files));
}
