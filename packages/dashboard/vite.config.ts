import { join } from 'node:path';
import tailwind from '@tailwindcss/vite';
import { dashboardApi } from '@till/contract/dashboard';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig, type Plugin, type Rolldown } from 'vite';
import { thirdPartyNotices } from '../../tools/third-party-notices.mjs';

/** Method, path and upload field of every operation: all that the browser needs of the contract at run time. */
const operations = Object.fromEntries(
  Object.values<{ id: string; method: string; path: string; upload?: { field: string } }>(dashboardApi).map(
    ({ id, method, path, upload }) => [
      id,
      upload === undefined ? [method, path] : [method, path, upload.field],
    ],
  ),
);

/** The licences of what the bundle is made of: modules, the typeface, and the base styles that Tailwind writes. */
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

/** All that a module imports before it runs. */
function importsOf(context: ChunkingContext, module: string): ReadonlySet<string> {
  const all = new Set([module]);
  for (const id of all)
    for (const imported of context.getModuleInfo(id)?.importedIds ?? []) all.add(imported);
  return all;
}

/** The modules of the first pages that every page needs, and those that lists share. */
const shared = (context: ChunkingContext) => {
  const [frame, home, payments] = ['main.tsx', 'pages/home/home.tsx', 'pages/payments/payments.tsx'].map(
    (path) => importsOf(context, source(path)),
  );
  return { frame, home, payments };
};

/**
 * A browser has few connections at a time to a server, and each request costs a round trip: what a first page imports comes
 * in a handful of files. Libraries keep theirs from version to version.
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

/** `build.mjs` says where the result goes. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/dashboard/',
  plugins: [react(), tailwind(), licences],
  resolve: { conditions: ['source', ...defaultClientConditions] },
  define: { tillOperations: JSON.stringify(operations) },
  build: {
    target: ['chrome123', 'edge123', 'firefox121', 'safari17.5'],
    // The content security policy allows no data: address but for images, and no inline script.
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
