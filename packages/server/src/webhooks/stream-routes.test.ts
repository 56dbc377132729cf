import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createApp } from '../http/app.ts';
import { RateLimiter } from '../http/rate-limit.ts';
import { systemClock } from '../lib/clock.ts';
import type { Database } from '../store/database.ts';
import { eventStreamRoutes } from './routes.ts';
import { until } from './test-kit.ts';

const most = 10;
let app: FastifyInstance;
/** The database answers once it is let go; `asked` counts who waits for it. */
let letGo: () => void;
let asked: number;
let clients: http.ClientRequest[];

beforeEach(async () => {
  const unlimited = new RateLimiter({ perSecond: 0, burst: 0, elapsed: () => 0 });
  let released = new Promise<void>(() => {});
  [released, letGo] = gate();
  asked = 0;
  clients = [];
  const db = {
    async query({ text }: { text: string }) {
      if (!text.includes('counters')) return [];
      asked += 1;
      await released;
      return [{ seq: 0 }];
    },
  } as unknown as Database;
  app = createApp({
    newRequestId: () => 'req_1',
    elapsed: () => 0,
    baseUrl: () => 'http://till.example',
    trustProxy: [],
    rateLimiter: unlimited,
    isUnavailable: () => false,
    onRequestDone: () => {},
    onUnexpected: () => {},
  });
  eventStreamRoutes(app, {
    db,
    clock: systemClock,
    authenticate: async () => ({ accountId: 'acct_1', livemode: false, keyId: 'key_1' }),
    rateLimiter: unlimited,
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
});

afterEach(async () => {
  letGo();
  for (const client of clients) client.destroy();
  await app.close();
});

function gate(): [Promise<void>, () => void] {
  let letThrough = () => {};
  const opened = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  return [opened, letThrough];
}

/** Asks for a stream. @returns the status of the answer; 0 where the client left before it came */
async function openStream(): Promise<number> {
  const { port } = app.server.address() as AddressInfo;
  const headers = { authorization: 'Bearer sk_test_1' };
  const client = http.get({ port, host: '127.0.0.1', path: '/api/v1/events/stream', headers });
  clients.push(client);
  try {
    const [response] = (await once(client, 'response')) as [http.IncomingMessage];
    response.on('error', () => {}).resume();
    client.on('error', () => {});
    return response.statusCode ?? 0;
  } catch {
    return 0;
  }
}

it('lets one key have ten streams, also where all are asked for at once', async () => {
  const opened = Promise.all(Array.from({ length: 2 * most }, openStream));
  await until('the database is asked', () => asked >= most);
  letGo();
  const statuses = await opened;
  expect(statuses.filter((status) => status === 200)).toHaveLength(most);
  expect(statuses.filter((status) => status === 429)).toHaveLength(most);
});

it('counts no stream whose client left before it began', async () => {
  const opened = Promise.all(Array.from({ length: most }, openStream));
  await until('the database is asked', () => asked === most);
  for (const client of clients) client.destroy();
  expect(await opened).toEqual(Array.from({ length: most }, () => 0));
  letGo();
  await until('a stream begins', async () => (await openStream()) === 200);
});
