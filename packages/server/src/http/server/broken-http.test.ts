import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, expect, it } from 'vitest';
import { answerBrokenHttp, noteAnswer } from './broken-http.ts';

const ends: (() => void)[] = [];
afterAll(() => {
  for (const end of ends) end();
});

/** A server whose responses the test ends, and a client socket for raw bytes. */
async function startServer() {
  const waiting: (() => void)[] = [];
  const broken: string[] = [];
  const answers: ServerResponse[] = [];
  const server = createServer((request, response) => {
    noteAnswer(request.socket, response);
    answers.push(response);
    request.resume().on('end', () => {
      waiting.push(() => response.end(`answer to ${request.url}`));
    });
  });
  server.on('clientError', (error, socket) => {
    broken.push(error.message);
    answerBrokenHttp(error, socket as Socket, 'req_1', {
      headers: { 'service-version': '1' },
      docUrl: () => 'https://till.example/docs',
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  ends.push(() => server.close().closeAllConnections());
  const socket = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
  return { socket, received: text(socket), waiting, broken, answers };
}

const post = (path: string, length: number, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: till\r\nContent-Length: ${length}\r\n\r\n${body}`;

it('bytes that are no HTTP after a request that is worked on leave the connection to its answer, which ends it', async () => {
  const { socket, received, waiting, broken } = await startServer();
  socket.write(post('/payment', 2, '{}'));
  await expect.poll(() => waiting.length).toBe(1);
  socket.write('XX');
  await expect.poll(() => broken.length).toBe(1);
  waiting[0]?.();
  const answer = await received;
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*Connection: close\r\n[\s\S]*answer to \/payment$/);
});

it('however many bytes follow, the answer gets one listener', async () => {
  const { socket, received, waiting, broken, answers } = await startServer();
  socket.setNoDelay(true).write(post('/payment', 2, '{}'));
  await expect.poll(() => waiting.length).toBe(1);
  const [answer] = answers;
  const before = answer?.listenerCount('close') ?? 0;
  for (let sent = 1; sent <= 20; sent += 1) {
    socket.write('X');
    await expect.poll(() => broken.length).toBe(sent);
  }
  expect(answer?.listenerCount('close')).toBe(before + 1);
  waiting[0]?.();
  expect(await received).toContain('answer to /payment');
});

it('after an answered request, and as the first bytes, they are answered with 400', async () => {
  const { socket, received, waiting } = await startServer();
  socket.write(post('/payment', 2, '{}'));
  await expect.poll(() => waiting.length).toBe(1);
  waiting[0]?.();
  await new Promise((resolve) => socket.once('data', resolve));
  socket.write('XX\r\n\r\n');
  expect(await received).toContain('HTTP/1.1 400 Bad Request');
  const first = await startServer();
  first.socket.write('XX\r\n\r\n');
  expect(await first.received).toMatch(/^HTTP\/1\.1 400 Bad Request[\s\S]*"code":"bad_request"/);
});

it('an address that is too long gets an answer that names it beside the headers', async () => {
  const { socket, received } = await startServer();
  socket.write(`GET /?reference=${'a'.repeat(20_000)} HTTP/1.1\r\nHost: till\r\n\r\n`);
  expect(await received).toMatch(/^HTTP\/1\.1 431 [\s\S]*The address and the headers/);
});
