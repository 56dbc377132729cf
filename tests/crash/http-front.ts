import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Provider } from '@till/contract';
import type { CleanUp } from '../support/clean-up.ts';
import type { Receiver } from './evidence.ts';
import type { Upstream } from './upstream.ts';

type Handler = (request: http.IncomingMessage, response: http.ServerResponse) => Promise<void>;

/** Listens on a free port until the clean-up. A handler that throws drops the connection. @returns the URL */
async function listen(cleanUp: CleanUp, handle: Handler): Promise<string> {
  const server = http.createServer((request, response) => {
    handle(request, response).catch(() => request.socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp.add(async () => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function bodyOf(request: http.IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Serves the simulated processors over HTTP. @returns their URL; the path begins with the processor */
export function serveUpstream(upstream: Upstream, cleanUp: CleanUp): Promise<string> {
  return listen(cleanUp, async (request, response) => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const [, processor, path = ''] = /^\/(processor_[ab])(\/.*)$/.exec(request.url ?? '') ?? [];
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
    );
    const wire = {
      method: request.method ?? '',
      url: `${headers['x-origin'] ?? ''}${path}`,
      headers,
      body: await bodyOf(request),
    };
    const answer = await upstream.handle(processor as Provider, wire, gone.signal);
    response.writeHead(answer.status, { ...answer.headers }).end(answer.body);
  });
}

/** Serves the merchants' endpoints over HTTP. @returns the URL to which an account's id is appended */
export function serveReceiver(receiver: Receiver, cleanUp: CleanUp): Promise<string> {
  return listen(cleanUp, async (request, response) => {
    receiver.take(request.url ?? '', (await bodyOf(request)).toString('utf8'));
    response.writeHead(200).end();
  });
}
