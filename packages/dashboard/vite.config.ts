import { join } from 'node:path';
import tailwind from '@tailwindcss/vite';
import { dashboardApi } from '@till/contract/dashboard';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig, type Plugin, type Rolldown } from 'vite';
import { thirdPartyNotices } from '../../tools/third-party-notices.mjs';

/** Method, path and upload field of every operation. The browser needs nothing else of the contract at run time. */
const operations = Object.fromEntries(
  Object.values<{ id: string; method: string; path: string; upload?: { field: string } }>(dashboardApi).map(
    ({ id, method, path, upload }) => [
      id,
      upload === undefined ? [method, path] : [method, path, upload.field],
    ],
  ),
);

/** Writes the licences of everything in the bundle: modules, the typeface, and the base styles of Tailwind. */
const licences: Plugin = {
  name: 'third-party notices',
  generateBundle(_options, bundle) {
    const modules = Object.values(bundle).flatMap((file) =>
      file.type === 'chunk' ? file.moduleIds : file.originalFileNames,
    );
    const styles = import.meta.resolve('tailwindcss/package.json').replace('file://', '');
    const source = thirdPartyNotices([...modules, styles], import.meta.dirname);
    this.emitFile({ type: 'asset', fileName: 'third-party-notices.txt', source });
  },
};

type ChunkingContext = Rolldown.ChunkingContext;

const source = (path: string) => join(import.meta.dirname, 'src', path);

/** All modules that a module imports, directly or indirectly, before it runs. */
function importsOf(context: ChunkingContext, module: string): ReadonlySet<string> {
  const all = new Set([module]);
  for (const id of all)
    for (const imported of context.getModuleInfo(id)?.importedIds ?? []) all.add(imported);
  return all;
}

/** The modules that every first page needs, and those that lists share. */
const shared = (context: ChunkingContext) => {
  const [frame, home, payments] = ['main.tsx', 'pages/home/home.tsx', 'pages/payments/payments.tsx'].map(
    (path) => importsOf(context, source(path)),
  );
  return { frame, home, payments };
};

/**
 * Decides which chunk a module belongs to. A browser opens only a few connections to a server, and each request costs a
 * round trip, so everything that a first page imports comes in a handful of files. Libraries are in their own file,
 * which stays the same between versions.
 */
function chunkOf(module: string, context: ChunkingContext): string | null {
  known ??= shared(context);
  const { frame, home, payments } = known;
  if (module.includes('rolldown/runtime')) return 'libraries';
  if (module.includes('/src/pages/') || module === source('main.tsx')) return null;
  if (frame?.has(module) === true) return module.includes('/node_modules/') ? 'libraries' : 'frame';
  if (home?.has(module) === true) return 'frame';
  return payments?.has(module) === true ? 'lists' : null;
}
let known: ReturnType<typeof shared> | undefined;

/** `build.mjs` sets the output folder. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/dashboard/',
  plugins: [react(), tailwind(), licences],
  resolve: { conditions: ['source', ...defaultClientConditions] },
  define: { tillOperations: JSON.stringify(operations) },
  build: {
    target: ['chrome123', 'edge123', 'firefox121', 'safari17.5'],
    // The content security policy allows data: URLs only for images, and no inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    rolldownOptions: {
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [{ name: chunkOf, debugName: 'first pages' }],
        },
      },
    },
  },
});
