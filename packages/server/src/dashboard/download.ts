import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { DownloadedFile } from './call.ts';

/**
 * Sends a file. An error before the first piece is answered like any other error; a later one breaks off the download. The
 * plain `filename` of the header is ASCII without quotes, and the full name follows percent-encoded (RFC 6266).
 */
export async function sendFile(
  reply: FastifyReply,
  { name, contentType, content }: DownloadedFile,
): Promise<FastifyReply> {
  const plain = name.replaceAll(/[^A-Za-z0-9._ -]/g, '_');
  const full = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const body = typeof content === 'string' || Buffer.isBuffer(content) ? content : await begin(content);
  return reply
    .headers({
      'content-type': contentType,
      'content-disposition': `attachment; filename="${plain}"; filename*=UTF-8''${full}`,
    })
    .send(body);
}

/** A stream of the pieces, created once the first one has been read. */
async function begin(pieces: AsyncIterable<string | Buffer>): Promise<Readable> {
  const iterator = pieces[Symbol.asyncIterator]();
  const first = await iterator.next();
  async function* all() {
    if (first.done === true) return;
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  return Readable.from(all());
}
