import { createServer, type Server } from 'node:http';
import { createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { WireRequest } from './transport.ts';
import { undiciTransport } from './undici-transport.ts';

const open: (Server | TcpServer)[] = [];

async function listening(server: Server | TcpServer): Promise<number> {
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

afterEach(async () => {
  for (const server of open.splice(0)) {
    if ('closeAllConnections' in server) {
      server.closeAllConnections();
    }
    await new Promise((resolve) => server.close(resolve));
  }
});

const requestTo = (url: string, headers: Record<string, string> = {}): WireRequest => ({
  method: 'POST',
  url,
  headers,
  body: Buffer.from('{"a":1}'),
});

const transport = undiciTransport({ connectTimeoutMs: 2_000, timeoutMs: 5_000 });

describe('undiciTransport', () => {
  it('carries method, headers and body there, and status, headers and body back', async () => {
    const port = await listening(
      createServer((request, response) => {
        let body = '';
        request.on('data', (chunk) => {
          body += chunk;
        });
        request.on('end', () => {
          response.writeHead(422, {
            'X-Method': request.method ?? '',
            'X-Key': request.headers['x-key'] ?? '',
          });
          response.end(`got ${body}`);
        });
      }),
    );
    const answer = await transport(requestTo(`http://127.0.0.1:${port}/p`, { 'x-key': 'k' }));
    expect(answer.status).toBe(422);
    expect(answer.headers).toMatchObject({ 'x-method': 'POST', 'x-key': 'k' });
    expect(answer.body.toString()).toBe('got {"a":1}');
  });

  it('joins repeated header lines', async () => {
    const port = await listening(
      createServer((_, response) => {
        response.setHeader('x-two', ['1', '2']);
        response.end();
      }),
    );
    expect((await transport(requestTo(`http://127.0.0.1:${port}/`))).headers['x-two']).toBe('1, 2');
  });

  it('returns a redirect instead of following it', async () => {
    let requests = 0;
    const port = await listening(
      createServer((_, response) => {
        requests += 1;
        response.writeHead(307, { location: '/elsewhere' }).end();
      }),
    );
    expect((await transport(requestTo(`http://127.0.0.1:${port}/`))).status).toBe(307);
    expect(requests).toBe(1);
  });

  it('takes an answer of 1 MiB and drops a longer one', async () => {
    const port = await listening(
      createServer((request, response) => {
        response.end(Buffer.alloc(1024 * 1024 + (request.url === '/long' ? 1 : 0)));
      }),
    );
    expect((await transport(requestTo(`http://127.0.0.1:${port}/`))).body.length).toBe(1024 * 1024);
    await expect(transport(requestTo(`http://127.0.0.1:${port}/long`))).rejects.toMatchObject({
      kind: 'dropped',
    });
  });

  describe('says not_sent', () => {
    it('for a refused connection', async () => {
      const server = createServer();
      const port = await listening(server);
      await new Promise((resolve) => server.close(resolve));
      open.pop();
      await expect(transport(requestTo(`http://127.0.0.1:${port}/`))).rejects.toMatchObject({
        kind: 'not_sent',
      });
    });

    it('for a name that does not resolve', async () => {
      await expect(transport(requestTo('http://upstream.invalid/'))).rejects.toMatchObject({
        kind: 'not_sent',
      });
    });

    it('for a failed TLS handshake', async () => {
      const port = await listening(createServer());
      await expect(transport(requestTo(`https://127.0.0.1:${port}/`))).rejects.toMatchObject({
        kind: 'not_sent',
      });
    });

    it('for a connection that takes too long', async () => {
      // Accepts the connection and never answers the TLS handshake.
      const port = await listening(createTcpServer((socket) => socket.resume()));
      const impatient = undiciTransport({ connectTimeoutMs: 100, timeoutMs: 10_000 });
      await expect(impatient(requestTo(`https://127.0.0.1:${port}/`))).rejects.toMatchObject({
        kind: 'not_sent',
      });
    });

    it.each([
      ['a header that HTTP does not allow', 'http://127.0.0.1:1/', { 'x-key': 'a\nb' }],
      ['an address that is no URL', 'nonsense', {}],
    ])('for %s', async (_, url, headers) => {
      await expect(transport(requestTo(url, headers as Record<string, string>))).rejects.toMatchObject({
        kind: 'not_sent',
      });
    });
  });

  it('says dropped where the connection ends without an answer', async () => {
    const port = await listening(createServer((request) => request.socket.destroy()));
    await expect(transport(requestTo(`http://127.0.0.1:${port}/`))).rejects.toMatchObject({
      name: 'TransportError',
      kind: 'dropped',
    });
  });

  it('says dropped where the answer breaks off', async () => {
    const port = await listening(
      createServer((_, response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('half', () => response.socket?.destroy());
      }),
    );
    await expect(transport(requestTo(`http://127.0.0.1:${port}/`))).rejects.toMatchObject({
      kind: 'dropped',
    });
  });

  it.each([
    ['before the answer', false],
    ['amid the answer', true],
  ])('says timeout where the deadline passes %s', async (_, started) => {
    const port = await listening(
      createServer((__, response) => {
        if (started) {
          response.writeHead(200);
          response.write('half');
        }
      }),
    );
    const impatient = undiciTransport({ connectTimeoutMs: 1_000, timeoutMs: 100 });
    await expect(impatient(requestTo(`http://127.0.0.1:${port}/`))).rejects.toMatchObject({
      kind: 'timeout',
    });
  });
});
