import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { systemClock } from '../../lib/clock.ts';
import { followEvents } from './follow-events.ts';

// JSON does not escape these characters, and regular expressions treat them as the end of a line.
it.each(['\u2028', '\u2029'])(
  'an event is followed that has the line separator %j in its text',
  async (separator) => {
    const data = JSON.stringify({ id: 'evt_1', note: `first${separator}second` });
    expect(data).toContain(separator);
    const server = createServer((_request, answer) => {
      answer.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      answer.write(`retry: 1000\n\nid: 7\nevent: payment.succeeded\ndata: ${data}\n\n: still here\n\n`);
      answer.end('id: 8\nevent: payment.failed\ndata: {"id":"evt_2"}\n\n');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const ended = new AbortController();
    const events = followEvents({
      server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      apiKey: 'sk_test_1',
      clock: systemClock,
      signal: ended.signal,
      onLost: () => ended.abort(),
    });
    const followed = [];
    for await (const event of events) followed.push(event);
    expect(followed).toEqual([
      { id: '7', type: 'payment.succeeded', data },
      { id: '8', type: 'payment.failed', data: '{"id":"evt_2"}' },
    ]);
    server.close();
  },
);
