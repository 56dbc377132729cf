import type { WireRequest, WireResponse } from '@till/sandbox';
import type { FastifyInstance } from 'fastify';

/** Carries the simulators' requests to this very server, without a network. */
export const inProcess =
  (app: FastifyInstance) =>
  async ({ method, url, headers, body }: WireRequest): Promise<WireResponse> => {
    const response = await app.inject({
      method: method === 'POST' ? 'POST' : 'GET',
      url: new URL(url).pathname,
      headers: { ...headers },
      payload: body,
    });
    return {
      status: response.statusCode,
      headers: Object.fromEntries(
        Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
      ),
      body: response.rawPayload,
    };
  };
