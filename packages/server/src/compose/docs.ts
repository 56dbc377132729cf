import { triggers } from '@till/sandbox';
import type { FastifyInstance } from 'fastify';
import { docsRoutes } from '../docs/routes.ts';
import { loadDocsSite } from '../docs/site.ts';
import { builtFolder } from '../lib/built-folder.ts';

const builtSite = new URL('../../../docs/dist/site/', import.meta.url);

/** Everything public that is there to be read. */
export async function mountDocs(app: FastifyInstance, publicAddress: () => string): Promise<void> {
  docsRoutes(app, { publicAddress, site: await loadDocsSite(builtFolder(builtSite)), triggers });
}
