import { constants, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptedEncodings } from '../../lib/web/static-file.ts';

/** Responses shorter than this are not compressed, since they fit into a few packets anyway. */
const min = 4096;

/**
 * Compresses a response for one of our pages, if that helps and the browser accepts it. It does so only for same-origin requests,
 * so that no other site can have a response compressed together with text of its choice and use the length (BREACH).
 * @returns the body to send
 */
export function compressForPage(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  text: string,
): string | Buffer {
  if (text.length < min || headers['sec-fetch-site'] !== 'same-origin') return text;
  if (!acceptedEncodings(headers['accept-encoding'])('gzip')) return text;
  reply.headers({ 'content-encoding': 'gzip', vary: 'accept-encoding, sec-fetch-site' });
  return gzipSync(text, { level: constants.Z_BEST_SPEED });
}
