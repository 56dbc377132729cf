import type { FastifyRequest } from 'fastify';

/** A request's headers by lower-case name and its unparsed body, for handlers with their own protocol. */
export function rawRequest(request: FastifyRequest): {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
} {
  return {
    headers: Object.fromEntries(
      Object.entries(request.headers).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string',
      ),
    ),
    body: (request.body as Buffer | undefined) ?? Buffer.alloc(0),
  };
}
