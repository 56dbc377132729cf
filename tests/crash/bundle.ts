import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import type { CleanUp } from '../support/clean-up.ts';
import { requireFreshBuild } from '../support/fresh-build.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

let fresh: Promise<void> | undefined;

/** The server's own files as they were built: they find their neighbours on disk. */
const asBuilt: Plugin = {
  name: 'as built',
  setup(bundler) {
    bundler.onResolve({ filter: /\/packages\/server\/src\// }, ({ path, resolveDir }) => {
      const source = join(resolveDir, path);
      const built = source.replace('/src/', '/dist/').replace(/\.ts$/, '.js');
      return { path: pathToFileURL(built).href, external: true };
    });
  },
};

/**
 * Compiles the program of a server process to one file beside the installed packages.
 * @returns its path
 * @throws Error where the built server is older than its source
 */
export async function bundleServerProcess(cleanUp: CleanUp): Promise<string> {
  // Once: a long run goes on with what it began with.
  fresh ??= requireFreshBuild();
  await fresh;
  const outfile = join(root, `node_modules/.cache/till-crash/${randomUUID()}.mjs`);
  cleanUp.add(() => rm(outfile, { force: true }));
  await mkdir(dirname(outfile), { recursive: true });
  await build({
    entryPoints: [fileURLToPath(new URL('server-process.ts', import.meta.url))],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
    plugins: [asBuilt],
  });
  return outfile;
}
