import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { putInPlace } from '../../tools/put-in-place.mjs';

/* Builds the application as vite.config.ts describes it. Needs the built contract: `tsc -b` runs first. */
const root = fileURLToPath(new URL('./', import.meta.url));
await putInPlace(`${root}dist/app`, (outDir) => build({ root, logLevel: 'warn', build: { outDir } }));
