import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

const notOurs = new Set(['node_modules', 'dist', 'coverage', '.git', '.till']);

/** Every file below a folder of the repository, as paths from its root; nothing that is installed or built. */
export function filesBelow(folder: string): string[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  return entries
    .filter((entry) => !notOurs.has(entry.name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesBelow(path) : entry.isFile() ? [path] : [];
    })
    .sort();
}

export const isThere = (path: string): boolean => existsSync(join(root, path));

export const read = (path: string): string => readFileSync(join(root, path), 'utf8');

export const packageNames = readdirSync(join(root, 'packages'));

const isSource = (path: string) => /\.tsx?$/.test(path);

/** Every TypeScript file of the packages, tests beside it included. */
export const packageSources = packageNames.flatMap((name) =>
  filesBelow(join('packages', name)).filter((path) => isSource(path) && path.includes('/src/')),
);

export const testSources = filesBelow('tests').filter(isSource);

/** A test, or what only tests use: fixtures, suites that adapters share, clients and databases for tests. */
export const isTestCode = (path: string): boolean =>
  path.startsWith('tests/') || /\.test\.tsx?$|\/(fixtures|conformance)\.ts$|\/test-[a-z-]+\.ts$/.test(path);

/** What runs in production. */
export const productionSources = packageSources.filter((path) => !isTestCode(path));

/** The text without its comments, which stay as empty lines. Strings that look like comments are kept whole. */
export function withoutComments(text: string): string {
  const tokens =
    /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\*[\s\S]*?\*\/|(?<![:\\/])\/\/[^\n]*/g;
  return text.replaceAll(tokens, (token) => (token.startsWith('/') ? token.replaceAll(/[^\n]/g, '') : token));
}

export interface Import {
  readonly from: string;
  /** As written. */
  readonly specifier: string;
  /** The file from the repository's root for a relative import, else undefined. */
  readonly file: string | undefined;
}

const statement =
  /(?:^|\n)\s*(?:import|export)\b[^'"`;]*?\bfrom\s*'([^']+)'|(?:^|\n)\s*import\s*'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/g;

/** Everything that a file imports or exports from elsewhere, types included. */
export function importsOf(path: string): Import[] {
  return [...withoutComments(read(path)).matchAll(statement)].map((match) => {
    const specifier = match[1] ?? match[2] ?? match[3] ?? '';
    const file = specifier.startsWith('.') ? normalize(join(dirname(path), specifier)) : undefined;
    return { from: path, specifier, file };
  });
}

/** The name of the npm package that a specifier means; undefined for files and Node's own modules. */
export function npmPackage(specifier: string): string | undefined {
  if (specifier.startsWith('.') || specifier.startsWith('node:')) return undefined;
  const [first = '', second = ''] = specifier.split('/');
  return first.startsWith('@') ? `${first}/${second}` : first;
}

export interface Manifest {
  readonly scripts?: Readonly<Record<string, string>>;
  readonly name: string;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, { readonly source?: string }>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Packages that the server serves as built: what they are made of is installed to build them, not to run the server. */
export const builtPackages: readonly string[] = ['checkout', 'dashboard', 'docs'];

/** @param folder of the package, from the repository's root; '' for the root's own */
export const manifestOf = (folder: string): Manifest => JSON.parse(read(join(folder, 'package.json')));

/** `packages/server/src/payments/store.ts` → package `server`, path `payments/store.ts`. */
export function placeOf(path: string): { readonly package: string; readonly path: string } {
  const [, name = '', , ...rest] = path.split('/');
  return { package: name, path: rest.join('/') };
}
