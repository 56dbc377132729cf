import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { systemClock } from '../../lib/clock.ts';
import { createExporter } from './exporter.ts';

it('a collector that asks for a longer pause than a timer can be is not asked again in it', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(429, { 'retry-after': '2147484' }).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = new AbortController();
  const pauses: number[] = [];
  const clock = {
    ...systemClock,
    delay: async (ms: number) => {
      pauses.push(ms);
      stop.abort();
    },
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`;
  const target = { url, protocol: 'http/json', headers: {}, timeoutMs: 10_000, compresses: false } as const;
  const exporter = createExporter(target, {}, { clock, onChange: () => {} });
  expect(await exporter.send({}, stop.signal)).toBe(false);
  expect(pauses).toEqual([10_000]);
  await exporter.close();
  server.close();
});
