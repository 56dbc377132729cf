import type { IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it } from 'vitest';
import { RateLimiter } from '../rate-limit/rate-limit.ts';
import { createApp } from './app.ts';
import type { RequestRecord } from './request-record.ts';

const createWith = (onRequestDone: (record: RequestRecord) => void) =>
  createApp({
    newRequestId: () => 'req_1',
    elapsed: () => 0,
    baseUrl: () => 'http://till.example',
    trustProxy: [],
    rateLimiter: new RateLimiter({ perSecond: 0, burst: 0, elapsed: () => 0 }),
    isUnavailable: () => false,
    onRequestDone,
    onUnexpected: () => {},
  });

it('a connection on which nothing moves ends after five minutes', () => {
  expect(createWith(() => {}).server.timeout).toBe(300_000);
});

it('what was answered to a client that has left is recorded once', async () => {
  const records: RequestRecord[] = [];
  let raw: IncomingMessage | undefined;
  let proceed = () => {};
  const app = createWith((record) => records.push(record));
  app.route({
    method: 'GET',
    url: '/slow',
    handler: async (request, reply) => {
      ({ raw } = request);
      await new Promise<void>((resolve) => {
        proceed = resolve;
      });
      return reply.code(201).send('done');
    },
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const socket = connect({ host: '127.0.0.1', port });
  socket.write('GET /slow HTTP/1.1\r\nHost: till\r\n\r\n');
  await expect.poll(() => raw).toBeDefined();
  socket.destroy();
  await expect.poll(() => raw?.socket.destroyed).toBe(true);
  proceed();
  await expect.poll(() => records.length).toBeGreaterThan(0);
  await app.close();
  expect(records).toMatchObject([{ requestId: 'req_1', status: 201 }]);
});
