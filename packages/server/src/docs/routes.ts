import { ApiError } from '@till/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { prefersHtml } from '../http/server/not-found-page.ts';
import { keptForEver, sendFile } from '../http/server/send-file.ts';
import type { DocsFile, DocsSite } from './site.ts';

/** One row of the sandbox's trigger table. */
export interface TestTrigger {
  readonly trigger: { readonly field: string; readonly value: string };
  readonly processor: string;
  readonly outcome: string;
  readonly failure_code?: string;
}

export interface DocsDependencies {
  /** Undefined if the documentation was not built. */
  readonly site: DocsSite | undefined;
  readonly triggers: readonly TestTrigger[];
  readonly publicAddress: () => string;
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

const policies: Readonly<Record<'page' | 'reference', string>> = {
  page: [...policy, "require-trusted-types-for 'script'", "trusted-types 'none'"].join('; '),
  // Redoc inserts inline styles into the page, and writes markup without Trusted Types.
  reference: policy
    .map((line) => (line.startsWith('style-src') ? `${line} 'unsafe-inline'` : line))
    .map((line) => (line.startsWith('img-src') ? `${line} data:` : line))
    .join('; '),
};

const pageHeaders = {
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=()',
};

const missing = `The documentation is not built. Run

  npm run build

and start the server again. Test cards and triggers are at /docs/testing.json, the API is described at /openapi.json.
`;

const notFoundPage = '/docs/404';

/**
 * Serves the public documentation under `/docs` from memory, and beside it the files that depend on this server: `/llms.txt` and
 * the table of test cards as JSON.
 */
export function docsRoutes(app: FastifyInstance, deps: DocsDependencies): void {
  const { site } = deps;
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    if (site === undefined) return notBuilt(reply);
    const path = (request.url.split('?', 1)[0] ?? '').replace(/\/$/, '');
    const file = path === notFoundPage ? undefined : site.get(path);
    if (file !== undefined) return sendDocs(request, reply, file);
    const page = site.get(notFoundPage);
    if (page === undefined || !prefersHtml(request.headers.accept)) {
      throw new ApiError('not_found', 'There is no such page.');
    }
    return sendDocs(request, reply.code(404), page);
  };
  app.get('/docs', answer);
  app.get('/docs/*', answer);
  app.get('/llms.txt', async (_request, reply) => {
    const file = site?.get('/llms.txt');
    if (file === undefined) return notBuilt(reply);
    const text = file.plain.toString('utf8').replaceAll('{base_url}', deps.publicAddress());
    return reply.headers({ 'content-type': file.contentType, 'cache-control': 'no-cache' }).send(text);
  });
  const triggers = JSON.stringify(
    deps.triggers.map(({ trigger, processor, outcome, failure_code }) => ({
      trigger,
      processor,
      outcome,
      failure_code,
    })),
  );
  app.get('/docs/testing.json', async (_request, reply) => reply.send(triggers));
}

function notBuilt(reply: FastifyReply) {
  return reply.code(503).headers({ 'content-type': 'text/plain; charset=utf-8' }).send(missing);
}

function sendDocs(request: FastifyRequest, reply: FastifyReply, file: DocsFile) {
  const { kind } = file;
  if (kind === 'page' || kind === 'reference') {
    reply.headers({ ...pageHeaders, 'content-security-policy': policies[kind] });
  }
  reply.header('cache-control', kind === 'asset' ? keptForEver : 'no-cache');
  return sendFile(request, reply, file);
}
