import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../lib/clock.ts';
import { followEvents } from './follow-events.ts';

/** What the server sends on each connection before it ends it, and where each client wanted to begin. */
let streams: string[];
let asked: (string | undefined)[];
let server: http.Server;

beforeEach(async () => {
  asked = [];
  server = http.createServer((request, response) => {
    asked.push(request.headers['last-event-id'] as string | undefined);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(streams[asked.length - 1]);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

function follow() {
  const ended = new AbortController();
  const events = followEvents({
    server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey: 'sk_test_1',
    clock: { ...systemClock, delay: async () => {} },
    signal: ended.signal,
    onLost: () => {},
  });
  return { events, end: () => ended.abort() };
}

const event = (id: number) => `id: ${id}\nevent: payment.succeeded\ndata: {"n":${id}}\n\n`;

it('goes on after the last event where the connection ends', async () => {
  streams = [`id: 3\nretry: 1000\n\n${event(4)}`, event(5)];
  const { events, end } = follow();
  expect((await events.next()).value).toMatchObject({ id: '4', type: 'payment.succeeded' });
  expect((await events.next()).value).toMatchObject({ id: '5' });
  expect(asked).toEqual([undefined, '4']);
  end();
});

it('goes on where the stream began if the connection ends before the first event', async () => {
  streams = ['id: 3\nretry: 1000\n\n', event(4)];
  const { events, end } = follow();
  expect((await events.next()).value).toMatchObject({ id: '4' });
  expect(asked).toEqual([undefined, '3']);
  end();
});
