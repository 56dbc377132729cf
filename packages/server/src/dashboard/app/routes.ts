import { ApiError } from '@till/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { keptForEver, sendFile } from '../../http/server/send-file.ts';
import type { StaticFile } from '../../lib/web/static-file.ts';
import type { StaticApp } from './static-app.ts';

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const pageHeaders = {
  'content-security-policy': contentSecurityPolicy,
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=()',
};

/** Files in this folder carry a hash of their content in their name. */
const hashed = 'assets/';

const missing = `The dashboard is not built. Run

  npm run build

and start the server again.
`;

/**
 * Serves the dashboard's page and files from memory. Every path below `/dashboard` that is no file answers the page, whose
 * router reads the path.
 * @param application undefined if it is not built
 */
export function staticAppRoutes(app: FastifyInstance, application: StaticApp | undefined): void {
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const path = (request.params as { '*'?: string })['*'] ?? '';
    if (path === 'api' || path.startsWith('api/')) return reply.callNotFound();
    if (application === undefined) {
      return reply.code(503).headers({ 'content-type': 'text/plain; charset=utf-8' }).send(missing);
    }
    const file = application.files.get(path);
    if (file !== undefined && path !== 'index.html') return sendAsset(request, reply, file, path);
    if (path.startsWith(hashed)) throw new ApiError('not_found', 'There is no such file.');
    return sendPage(request, reply, application, path);
  };
  app.get('/dashboard', answer);
  app.get('/dashboard/*', answer);
}

function sendPage(request: FastifyRequest, reply: FastifyReply, { page, preloads }: StaticApp, path: string) {
  const link = preloads(path, request.url.includes('?'));
  // The page names files whose names change with each version, so the browser revalidates it, and mostly gets a 304.
  reply.headers({ ...pageHeaders, 'cache-control': 'no-cache', ...(link === undefined ? {} : { link }) });
  return sendFile(request, reply, page);
}

function sendAsset(request: FastifyRequest, reply: FastifyReply, file: StaticFile, path: string) {
  reply.headers({
    'cache-control': path.startsWith(hashed) ? keptForEver : 'public, max-age=3600',
    'cross-origin-resource-policy': 'same-origin',
  });
  return sendFile(request, reply, file);
}
