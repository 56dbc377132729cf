import tailwind from '@tailwindcss/vite';
import { dashboardApi } from '@till/contract/dashboard';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';

/** Method, path and upload field of every operation: all that the browser needs of the contract at run time. */
const operations = Object.fromEntries(
  Object.values<{ id: string; method: string; path: string; upload?: { field: string } }>(dashboardApi).map(
    ({ id, method, path, upload }) => [
      id,
      upload === undefined ? [method, path] : [method, path, upload.field],
    ],
  ),
);

/** `build.mjs` says where the result goes. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/dashboard/',
  plugins: [react(), tailwind()],
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
