import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemClock } from '../../lib/clock.ts';
import { followEvents } from './follow-events.ts';

/** The body of each response, in order; a number is the status of a response without events. */
let streams: (string | number)[];
/** The `last-event-id` header of each request. */
let asked: (string | undefined)[];
let server: http.Server;
let pauses: number[];

beforeEach(async () => {
  asked = [];
  server = http.createServer((request, response) => {
    asked.push(request.headers['last-event-id'] as string | undefined);
    const stream = streams[asked.length - 1];
    if (typeof stream === 'number') response.writeHead(stream, { 'content-type': 'text/html' }).end('<p>');
    else response.writeHead(200, { 'content-type': 'text/event-stream' }).end(stream);
  });
  pauses = [];
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

const port = () => (server.address() as AddressInfo).port;

function follow(options: { server?: string; apiKey?: string } = {}) {
  const ended = new AbortController();
  const events = followEvents({
    server: options.server ?? `http://127.0.0.1:${port()}`,
    apiKey: options.apiKey ?? 'sk_test_1',
    clock: { ...systemClock, delay: async (ms) => void pauses.push(ms) },
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

it('waits longer before each retry of a temporary failure, and briefly again once a stream has begun', async () => {
  streams = [503, 429, 502, 500, 503, 503, 504, event(4), 503, event(5)];
  const { events, end } = follow();
  expect((await events.next()).value).toMatchObject({ id: '4' });
  expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  expect((await events.next()).value).toMatchObject({ id: '5' });
  expect(pauses.slice(7)).toEqual([1000, 2000]);
  end();
});

it.each([200, 301, 401, 404])('ends at a server that answers %d with a page of its own', async (status) => {
  streams = [status];
  const refused = expect(follow().events.next()).rejects;
  await refused.toMatchObject({ code: 'server_unusable', message: expect.stringContaining(`${status}`) });
});

it('ends at an address that names no server of Till', async () => {
  const refused = async (options: { server?: string; apiKey?: string }) =>
    expect(follow(options).events.next()).rejects;
  await (await refused({ server: `https://127.0.0.1:${port()}` })).toMatchObject({ code: 'server_unusable' });
  await (await refused({ server: 'http://till.invalid' })).toMatchObject({ code: 'server_unusable' });
  await (await refused({ server: 'http://127.0.0.1:6000' })).toMatchObject({ code: 'server_unusable' });
  await (await refused({ server: 'not a URL' })).toMatchObject({ code: 'invalid_params' });
  await (await refused({ apiKey: 'sk_test_ä→' })).toMatchObject({ code: 'invalid_params' });
});

it('tries again where nothing listens yet', async () => {
  const closed = `http://127.0.0.1:${port()}`;
  server.close();
  await once(server, 'close');
  const { events, end } = follow({ server: closed });
  const next = events.next();
  await vi.waitFor(() => expect(pauses.length).toBeGreaterThan(2));
  end();
  expect((await next).done).toBe(true);
});
