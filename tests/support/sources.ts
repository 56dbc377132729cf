import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

const notOurs = new Set(['node_modules', 'dist', 'coverage', '.git', '.till']);

/**
 * Lists all files below a folder of the repository, as paths from its root, except installed and built ones.
 */
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

/** All TypeScript files of the packages, including the tests next to them. */
export const packageSources = packageNames.flatMap((name) =>
  filesBelow(join('packages', name)).filter((path) => isSource(path) && path.includes('/src/')),
);

export const testSources = filesBelow('tests').filter(isSource);

/**
 * Whether a file is a test or is only used by tests: fixtures, suites that adapters share, clients and
 * databases for tests.
 */
export const isTestCode = (path: string): boolean =>
  path.startsWith('tests/') || /\.test\.tsx?$|\/(fixtures|conformance)\.ts$|\/test-[a-z-]+\.ts$/.test(path);

/** The sources that run in production. */
export const productionSources = packageSources.filter((path) => !isTestCode(path));

/** Removes the comments from a text but keeps their line breaks. Strings that look like comments stay. */
export function withoutComments(text: string): string {
  const tokens =
    /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\*[\s\S]*?\*\/|(?<![:\\/])\/\/[^\n]*/g;
  return text.replaceAll(tokens, (token) => (token.startsWith('/') ? token.replaceAll(/[^\n]/g, '') : token));
}

export interface Import {
  readonly from: string;
  /** As written in the source. */
  readonly specifier: string;
  /** The path from the repository's root for a relative import, otherwise undefined. */
  readonly file: string | undefined;
}

const statement =
  /(?:^|\n)\s*(?:import|export)\b[^'"`;]*?\bfrom\s*'([^']+)'|(?:^|\n)\s*import\s*'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/g;

/** Lists everything that a file imports, or exports from other files, including types. */
export function importsOf(path: string): Import[] {
  return [...withoutComments(read(path)).matchAll(statement)].map((match) => {
    const specifier = match[1] ?? match[2] ?? match[3] ?? '';
    const file = specifier.startsWith('.') ? normalize(join(dirname(path), specifier)) : undefined;
    return { from: path, specifier, file };
  });
}

/** Returns the npm package of a specifier. Undefined for files and for Node's own modules. */
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

/**
 * Packages that the server serves as built files. Their dependencies are installed to build them, not to run
 * the server.
 */
export const builtPackages: readonly string[] = ['checkout', 'dashboard', 'docs'];

/** @param folder the package's folder, from the repository's root; '' for the root package */
export const manifestOf = (folder: string): Manifest => JSON.parse(read(join(folder, 'package.json')));

/** Splits a path: `packages/server/src/payments/store.ts` → package `server`, path `payments/store.ts`. */
export function placeOf(path: string): { readonly package: string; readonly path: string } {
  const [, name = '', , ...rest] = path.split('/');
  return { package: name, path: rest.join('/') };
}
