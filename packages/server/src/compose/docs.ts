import { triggers } from '@till/sandbox';
import type { FastifyInstance } from 'fastify';
import { docsRoutes } from '../docs/routes.ts';
import { loadDocsSite } from '../docs/site.ts';
import type { OpenApiDocument } from '../http/openapi/document.ts';
import { builtFolder } from '../lib/built-folder.ts';

const builtSite = new URL('../../../docs/dist/site/', import.meta.url);

/** Everything public that is there to be read. */
export async function mountDocs(
  app: FastifyInstance,
  parts: { readonly api: () => OpenApiDocument; readonly publicAddress: () => string },
): Promise<void> {
  docsRoutes(app, { ...parts, site: await loadDocsSite(builtFolder(builtSite)), triggers });
}
