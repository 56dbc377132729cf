import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { bundleOptions, ownAddresses } from '../../packages/server/bundle-options.mjs';
import type { CleanUp } from '../support/clean-up.ts';
import { requireFreshBuild } from '../support/fresh-build.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

let fresh: Promise<void> | undefined;

/** An esbuild plugin that takes the server's files from its build instead of compiling them again. */
const asBuilt: Plugin = {
  name: 'as built',
  setup(bundler) {
    bundler.onResolve({ filter: /\/packages\/server\/src\// }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path)
        .replace('/packages/server/src/', '/packages/server/dist/')
        .replace(/\.ts$/, '.js'),
    }));
  },
};

const bundles = new WeakMap<CleanUp, Promise<string>>();

/**
 * Bundles the program of a server process into a few files, as in the built server: loading a thousand files takes three times
 * as long. The bundle is made once for each `cleanUp`, which removes it.
 * @returns the path of the program
 * @throws Error if the built server is older than its source
 */
export function bundleServerProcess(cleanUp: CleanUp): Promise<string> {
  const bundled = bundles.get(cleanUp) ?? bundle(cleanUp);
  bundles.set(cleanUp, bundled);
  return bundled;
}

async function bundle(cleanUp: CleanUp): Promise<string> {
  // Checked only once: a long run keeps using the build that it started with.
  fresh ??= requireFreshBuild();
  await fresh;
  const folder = join(root, `node_modules/.cache/till-crash/${randomUUID()}`);
  cleanUp.add(() => rm(folder, { recursive: true, force: true }));
  await build({
    ...bundleOptions,
    entryPoints: [fileURLToPath(new URL('server-process.ts', import.meta.url))],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    plugins: [asBuilt, ownAddresses(folder)],
  });
  return join(folder, 'server-process.mjs');
}
