import type { FastifyReply, FastifyRequest } from 'fastify';
import { encoded, type StaticFile } from '../../lib/web/static-file.ts';

const year = 365 * 24 * 3600;

/** The `Cache-Control` value for files whose name changes with their content. */
export const keptForEver = `public, max-age=${year}, immutable`;

/** Sends a file from memory in the smallest encoding that the client accepts, or 304 if the client already has it. */
export function sendFile(request: FastifyRequest, reply: FastifyReply, file: StaticFile): FastifyReply {
  const { body, encoding } = encoded(file, request.headers['accept-encoding']);
  reply.headers({
    etag: encoding === null ? file.etag : file.etag.replace(/"$/, `-${encoding}"`),
    vary: 'accept-encoding',
    'content-type': file.contentType,
  });
  if (isKnown(request.headers['if-none-match'], file.etag)) return reply.code(304).send();
  if (encoding !== null) reply.header('content-encoding', encoding);
  return reply.send(body);
}

/** Whether the client already has this content, in any encoding. */
function isKnown(header: string | undefined, etag: string): boolean {
  const core = etag.replaceAll('"', '');
  const known = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, '').replaceAll('"', ''));
  return known.some((tag) => tag === core || tag.startsWith(`${core}-`));
}
