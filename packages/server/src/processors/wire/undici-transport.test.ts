import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { undiciTransport } from './undici-transport.ts';

const ends: (() => void)[] = [];
afterAll(() => {
  for (const end of ends) end();
});

async function upstream(listener: RequestListener, timeoutMs = 5000) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const network = undiciTransport({ timeoutMs });
  ends.push(() => {
    server.close();
    server.closeAllConnections();
    void network.close();
  });
  const { port } = server.address() as AddressInfo;
  return (body = '{"a":1}', method = 'POST') =>
    network.send({
      method,
      url: `http://127.0.0.1:${port}/v71/payments?x=1`,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(body),
    });
}

describe('the transport over the network', () => {
  it('carries the bytes both ways, with any status', async () => {
    const send = await upstream((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        response.writeHead(422, { 'X-Trace': 'T1' });
        response.end(`${request.method} ${request.url} ${Buffer.concat(chunks).toString()}`);
      });
    });
    const answer = await send();
    expect(answer.status).toBe(422);
    expect(answer.headers['x-trace']).toBe('T1');
    expect(answer.body.toString()).toBe('POST /v71/payments?x=1 {"a":1}');
    expect((await send('', 'GET')).body.toString()).toBe('GET /v71/payments?x=1 ');
  });

  it('names itself Till/<version> in User-Agent', async () => {
    const send = await upstream((request, response) => response.end(request.headers['user-agent']));
    expect((await send()).body.toString()).toMatch(/^Till\/\d+\.\d+\.\d+$/);
  });

  it('follows no redirect', async () => {
    const send = await upstream((_request, response) => response.writeHead(302, { location: '/' }).end());
    expect((await send()).status).toBe(302);
  });

  it('not sent where the connection is refused', async () => {
    const network = undiciTransport({ timeoutMs: 5000 });
    const request = { method: 'POST', url: 'http://127.0.0.1:9/', headers: {}, body: Buffer.from('{}') };
    await expect(network.send(request)).rejects.toMatchObject({ name: 'TransportError', kind: 'not_sent' });
    await network.close();
  });

  it('unknown where the connection ended after the request', async () => {
    const send = await upstream((request) => request.socket.destroy());
    await expect(send()).rejects.toMatchObject({ name: 'TransportError', kind: 'dropped' });
  });

  it.each(['EHOSTUNREACH', 'ENETUNREACH'])('unknown where an open connection ends with %s', async (code) => {
    let socket: Socket | undefined;
    const connected = (message: unknown) => {
      socket = (message as { socket: Socket }).socket;
    };
    subscribe('undici:client:connected', connected);
    const send = await upstream(() => {
      socket?.destroy(Object.assign(new Error(`read ${code}`), { code, syscall: 'read' }));
    });
    await expect(send()).rejects.toMatchObject({ name: 'TransportError', kind: 'dropped' });
    unsubscribe('undici:client:connected', connected);
  });

  it('aborts at the timeout, also in the middle of an answer', async () => {
    const silent = await upstream(() => {}, 100);
    await expect(silent()).rejects.toMatchObject({ kind: 'timeout' });
    const slow = await upstream((_request, response) => response.writeHead(200).write('{'), 100);
    await expect(slow()).rejects.toMatchObject({ kind: 'timeout' });
  });

  it('bounds the bytes that it reads', async () => {
    const send = await upstream((_request, response) => {
      response.end(Buffer.alloc(5 * 1024 * 1024));
    });
    await expect(send()).rejects.toMatchObject({ kind: 'dropped' });
  });
});
