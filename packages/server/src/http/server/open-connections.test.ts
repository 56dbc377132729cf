import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { endIdleConnections } from './open-connections.ts';

/** A server that answers `/slow` when the test calls `answerSlow`, and accepts bodies of at most a kilobyte. */
async function startServer() {
  const app = Fastify({ bodyLimit: 1024 });
  const state = { draining: false, connections: 0, answerSlow: undefined as (() => void) | undefined };
  endIdleConnections(app, () => state.draining);
  app.server.on('connection', () => {
    state.connections += 1;
  });
  app.get('/slow', async () => {
    await new Promise<void>((resolve) => {
      state.answerSlow = resolve;
    });
    return 'answered';
  });
  app.post('/', async () => 'read');
  // Like the real server: a client that still sends its body gets its response.
  app.setErrorHandler((_error, _request, reply) =>
    reply.removeHeader('connection').code(413).send('refused'),
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return {
    state,
    open: (sent: string): { readonly socket: Socket; readonly received: Promise<string> } => {
      const socket = connect({ host: '127.0.0.1', port });
      socket.write(sent);
      const received = text(socket).catch((error: unknown) => String(error));
      return { socket, received };
    },
    drain: () => {
      state.draining = true;
      return app.close();
    },
  };
}

it('a connection on which nothing was sent ends with the server', async () => {
  const { state, open, drain } = await startServer();
  const { received } = open('');
  await expect.poll(() => state.connections).toBe(1);
  await drain();
  expect(await received).toMatch(/^$|ECONNRESET/);
});

it('a connection whose request was refused before its body had come ends with the server', async () => {
  const { open, drain } = await startServer();
  const head = 'POST / HTTP/1.1\r\nHost: till\r\nContent-Type: text/plain\r\nContent-Length: 2000\r\n\r\n';
  const { socket } = open(`${head}half`);
  await new Promise((resolve) => socket.once('data', resolve));
  await drain();
  await expect.poll(() => socket.destroyed).toBe(true);
});

it('a request under way is answered, and its connection ends with the answer', async () => {
  const { state, open, drain } = await startServer();
  const { received } = open('GET /slow HTTP/1.1\r\nHost: till\r\n\r\n');
  await expect.poll(() => state.answerSlow).toBeDefined();
  const drained = drain();
  state.answerSlow?.();
  expect(await received).toMatch(/^HTTP\/1\.1 200 [\s\S]*answered$/);
  await drained;
});
