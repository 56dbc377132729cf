import type { FastifyReply, FastifyRequest } from 'fastify';
import { encoded, type StaticFile } from '../../lib/web/static-file.ts';

const year = 365 * 24 * 3600;

/** For files whose name changes with their content. */
export const keptForEver = `public, max-age=${year}, immutable`;

/** Answers with a file from memory, in the smallest form that the client takes, or says that it has it already. */
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

/** Whether the client has this content already, in whatever encoding. */
function isKnown(header: string | undefined, etag: string): boolean {
  const core = etag.replaceAll('"', '');
  const known = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, '').replaceAll('"', ''));
  return known.some((tag) => tag === core || tag.startsWith(`${core}-`));
}
