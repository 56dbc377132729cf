import tailwind from '@tailwindcss/vite';
import { dashboardApi } from '@till/contract/dashboard';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';
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
  },
});
