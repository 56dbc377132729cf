import type { FastifyInstance } from 'fastify';
import { rawRequest } from './raw-request.ts';

/** Serves one page request. The buyer pages of the simulators have this type structurally. */
export type PageHandler = (request: {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}) => Promise<{ status: number; headers: Readonly<Record<string, string>>; body: Buffer }>;

/** Mounts the pages on which a sandbox buyer approves a payment at the simulated wallet or bank. */
export function sandboxRoutes(app: FastifyInstance, handle: PageHandler): void {
  app.route({
    method: ['GET', 'POST'],
    url: '/sandbox/*',
    handler: async (request, reply) => {
      const answer = await handle({
        method: request.method,
        url: request.url,
        ...rawRequest(request),
      });
      return reply.code(answer.status).headers(answer.headers).send(answer.body);
    },
  });
}
