import { once } from 'node:events';
import http from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RateLimiter } from '../../http/rate-limit/rate-limit.ts';
import { createApp } from '../../http/server/app.ts';
import { systemClock } from '../../lib/clock.ts';
import type { Database } from '../../store/database.ts';
import type { TenantId } from '../../store/tenant.ts';
import { until } from '../test-kit.ts';
import { eventStreamRoutes } from './routes.ts';

const max = 10;
const maxPerAccount = 50;
let app: FastifyInstance;
/** Lets the database answer; `asked` counts the queries that wait for it. */
let letGo: () => void;
let asked: number;
/** If set, key look-ups wait for it; `lookedUp` counts those that wait. */
let lookUp: Promise<void>;
let lookedUp: number;
let accountLimiter: RateLimiter;
let isElsewhere: boolean;
let isDraining: boolean;
/** By how much the clock was moved, in milliseconds. */
let later: number;
/** The events that a read of the log returns. */
let events: object[];
let clients: http.ClientRequest[];

beforeEach(async () => {
  const unlimited = new RateLimiter({ perSecond: 0, burst: 0, elapsed: () => 0 });
  accountLimiter = unlimited;
  isElsewhere = false;
  isDraining = false;
  later = 0;
  events = [];
  let released = new Promise<void>(() => {});
  [released, letGo] = gate();
  asked = 0;
  lookUp = Promise.resolve();
  lookedUp = 0;
  clients = [];
  const db = {
    async query({ text }: { text: string }) {
      if (!text.includes('counters')) return events;
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
    clock: { ...systemClock, elapsed: () => systemClock.elapsed() + later },
    async authenticate(key) {
      lookedUp += 1;
      await lookUp;
      return { tenant: 1 as TenantId, accountId: 'acct_1', livemode: false, keyId: key, restriction: null };
    },
    rateLimiter: unlimited,
    get accountLimiter() {
      return accountLimiter;
    },
    isElsewhere: () => isElsewhere,
    draining: () => isDraining,
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

const connections = (): Promise<number> =>
  new Promise((resolve, reject) => {
    app.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });

/** Requests a stream. @returns the status of the answer; 0 if the client left before it came */
async function openStream(key = 'sk_test_1'): Promise<number> {
  const { port } = app.server.address() as AddressInfo;
  const headers = { authorization: `Bearer ${key}` };
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
  const opened = Promise.all(Array.from({ length: 2 * max }, () => openStream()));
  await until('the database is asked', () => asked >= max);
  letGo();
  const statuses = await opened;
  expect(statuses.filter((status) => status === 200)).toHaveLength(max);
  expect(statuses.filter((status) => status === 429)).toHaveLength(max);
});

it('counts no stream whose client left before it began', async () => {
  const opened = Promise.all(Array.from({ length: max }, () => openStream()));
  await until('the database is asked', () => asked === max);
  for (const client of clients) client.destroy();
  expect(await opened).toEqual(Array.from({ length: max }, () => 0));
  letGo();
  await until('a stream begins', async () => (await openStream()) === 200);
});

it('counts no stream whose client left while its key was looked up', async () => {
  let found: () => void;
  [lookUp, found] = gate();
  const opened = Promise.all(Array.from({ length: max }, () => openStream()));
  await until('the keys are looked up', () => lookedUp === max);
  for (const client of clients) client.destroy();
  expect(await opened).toEqual(Array.from({ length: max }, () => 0));
  await until('the server knows', async () => (await connections()) === 0);
  found();
  letGo();
  expect(await openStream()).toBe(200);
  expect(asked).toBe(1);
});

it('lets one account have fifty streams, whatever the number of its keys', async () => {
  letGo();
  const keys = Array.from({ length: 60 }, (_, index) => `sk_test_${index % 6}`);
  const statuses = await Promise.all(keys.map((key) => openStream(key)));
  expect(statuses.filter((status) => status === 200)).toHaveLength(maxPerAccount);
  expect(statuses.filter((status) => status === 429)).toHaveLength(keys.length - maxPerAccount);
  clients[statuses.indexOf(200)]?.destroy();
  await until('another stream begins', async () => (await openStream('sk_test_other')) === 200);
});

it('asks the limit of the account, whatever the number of its keys', async () => {
  letGo();
  accountLimiter = new RateLimiter({ perSecond: 1, burst: 2, elapsed: () => 0 });
  const statuses = [];
  for (const key of ['sk_test_1', 'sk_test_2', 'sk_test_3']) statuses.push(await openStream(key));
  expect(statuses).toEqual([200, 200, 429]);
});

it('ends without what it has read once the account is in another cell, where some of it may be missing', async () => {
  letGo();
  const { port } = app.server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/events/stream`, {
    headers: { authorization: 'Bearer sk_test_1' },
  });
  const read = answer.text();
  isElsewhere = true;
  events = [{ seq: 7, type: 'payment.succeeded', body: '{}' }];
  expect(await read).not.toContain('payment.succeeded');
});

it('ends once the server is to stop', async () => {
  letGo();
  const { port } = app.server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/events/stream`, {
    headers: { authorization: 'Bearer sk_test_1' },
  });
  isDraining = true;
  expect(await answer.text()).toContain('retry: 1000');
});

it.each([
  [
    'the server is to stop',
    () => {
      isDraining = true;
    },
  ],
  [
    'its client has read nothing for 30 seconds',
    () => {
      later += 30_000;
    },
  ],
])('ends where its client does not read, once %s', async (_, happens) => {
  letGo();
  events = Array.from({ length: 100 }, () => ({
    seq: 7,
    type: 'payment.succeeded',
    body: 'x'.repeat(20_000),
  }));
  const answers: http.ServerResponse[] = [];
  app.server.on('request', (_request, answer: http.ServerResponse) => answers.push(answer));
  const stream = http.get({
    port: (app.server.address() as AddressInfo).port,
    host: '127.0.0.1',
    path: '/api/v1/events/stream',
    headers: { authorization: 'Bearer sk_test_1' },
  });
  clients.push(stream);
  const [answer] = (await once(stream, 'response')) as [http.IncomingMessage];
  answer.on('error', () => {}).pause();
  await until('nothing more can be sent', () => answers[0]?.writableNeedDrain === true);
  await expect
    .poll(() => {
      happens();
      return connections();
    })
    .toBe(0);
});

it('counts one stream of those that are asked for on one connection at once', async () => {
  letGo();
  const socket = connect({ host: '127.0.0.1', port: (app.server.address() as AddressInfo).port });
  const request =
    'GET /api/v1/events/stream HTTP/1.1\r\nHost: till\r\nAuthorization: Bearer sk_test_1\r\n\r\n';
  socket.write(request.repeat(max));
  await until('all keys are looked up', () => lookedUp === max);
  await until('a stream begins', () => asked > 0);
  const others = await Promise.all(Array.from({ length: max }, () => openStream()));
  expect(others.filter((status) => status === 200)).toHaveLength(max - 1);
  socket.destroy();
  await until('its stream is given back', async () => (await openStream()) === 200);
});
