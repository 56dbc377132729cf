import type { IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import Fastify from 'fastify';
import { afterEach, expect, it } from 'vitest';
import { admitRequests } from './admit.ts';
import { AwaitedBodies } from './awaited-bodies.ts';
import { Flows } from './flows.ts';
import type { HeldRefusals } from './held-refusals.ts';
import { create } from './test-admission.ts';

let end: () => Promise<unknown> = async () => {};
afterEach(() => end());

const noFurther = { expect: () => null, close: () => {} } as unknown as AwaitedBodies;

/** A server that holds the refusal of a body back until the test releases it. It awaits no body unless `bodies` does. */
async function startServer(bodies = noFurther) {
  const app = Fastify();
  let release: (() => void) | undefined;
  let raw: IncomingMessage | undefined;
  app.decorateRequest('exchange', null);
  app.addHook('onRequest', async (request) => {
    request.logFields = {};
    raw = request.raw;
  });
  const hold = () =>
    new Promise<void>((resolve) => {
      release = resolve;
    });
  const refusals: string[] = [];
  admitRequests(app, {
    admission: create().admission,
    bodies,
    flows: new Flows([]),
    held: { hold } as unknown as HeldRefusals,
    mayWrite: () => true,
    onRefused: (refusal) => refusals.push(refusal),
  });
  app.post('/', (request, reply) => reply.send(request.body));
  await app.listen({ host: '127.0.0.1', port: 0 });
  end = () => app.close();
  return {
    port: (app.server.address() as AddressInfo).port,
    refusals,
    isHeld: () => release !== undefined,
    isComplete: () => raw?.complete,
    release: () => release?.(),
  };
}

function sendHalf(port: number): Socket {
  const socket = connect({ host: '127.0.0.1', port });
  socket.write(
    'POST / HTTP/1.1\r\nHost: till\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\n{"a"',
  );
  return socket;
}

it('a body too many that comes while its refusal is held back is served', async () => {
  const server = await startServer();
  const socket = sendHalf(server.port);
  await expect.poll(server.isHeld).toBe(true);
  socket.write(':12}');
  await expect.poll(server.isComplete).toBe(true);
  server.release();
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(answer).toContain('{"a":12}');
  expect(server.refusals).toEqual([]);
});

it('503 for a body too many that has not come by then', async () => {
  const server = await startServer();
  const socket = sendHalf(server.port);
  await expect.poll(server.isHeld).toBe(true);
  server.release();
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 503 /);
  expect(server.refusals).toEqual(['bodies']);
});

it('no timer of an awaited body is left once the server is closed', async () => {
  let timer: AbortSignal | undefined;
  const delay = (_ms: number, signal: AbortSignal) => {
    timer = signal;
    return new Promise<void>(() => {});
  };
  const bodies = new AwaitedBodies({ delay, elapsed: () => 0 });
  const server = await startServer(bodies);
  const socket = sendHalf(server.port);
  await expect.poll(() => bodies.total).toBe(1);
  socket.write(':12}');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
  expect(timer?.aborted).toBe(false);
  await end();
  expect(timer?.aborted).toBe(true);
});

it('a request whose client leaves while it is looked up gives its place back', async () => {
  const app = Fastify();
  const { admission } = create();
  const refusals: string[] = [];
  let raw: IncomingMessage | undefined;
  let proceed = () => {};
  app.decorateRequest('exchange', null);
  app.addHook('onRequest', async (request) => {
    request.logFields = {};
  });
  admitRequests(app, {
    admission,
    bodies: noFurther,
    flows: new Flows([]),
    held: {} as HeldRefusals,
    mayWrite: () => true,
    onRefused: (refusal) => refusals.push(refusal),
  });
  app.addHook('onRequest', (request) => {
    raw = request.raw;
    return new Promise<void>((resolve) => {
      proceed = resolve;
    });
  });
  app.post('/', async () => 'done');
  await app.listen({ host: '127.0.0.1', port: 0 });
  end = () => app.close();
  const socket = connect({ host: '127.0.0.1', port: (app.server.address() as AddressInfo).port });
  socket.write(
    'POST / HTTP/1.1\r\nHost: till\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
  );
  await expect.poll(() => raw?.complete).toBe(true);
  expect(admission.working).toBe(1);
  socket.destroy();
  await expect.poll(() => raw?.destroyed).toBe(true);
  proceed();
  await expect.poll(() => admission.working).toBe(0);
  expect(refusals).toEqual(['left']);
});
