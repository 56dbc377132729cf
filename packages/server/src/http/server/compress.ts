import { constants, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptedEncodings } from '../../lib/web/static-file.ts';

/** Shorter ones fit into few packets as they are. */
const min = 4096;

/**
 * Prepares an answer for a page of ours: compressed where that helps and the browser takes it. Only where the browser says that the
 * page itself asks: nobody else can have answers compressed together with what they chose, and learn from their lengths (BREACH).
 * @returns what is to be sent
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
