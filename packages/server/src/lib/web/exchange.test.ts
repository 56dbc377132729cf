import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { Agent } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Exchange } from './exchange.ts';

/** Writes the response to the connection; called for each chunk that the server receives. */
let answer: (socket: Socket) => void;
let requests: string[];
let sockets: Socket[];
let server: net.Server;
let dispatcher: Agent;

beforeEach(async () => {
  requests = [];
  sockets = [];
  server = net.createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      requests.push(chunk.toString());
      answer(socket);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  dispatcher = new Agent({ connections: 1 });
});

afterEach(async () => {
  await dispatcher.destroy();
  for (const socket of sockets) socket.destroy();
  server.close();
});

const exchange = (enoughBytes = 1024, body = '{}') =>
  new Exchange(dispatcher, {
    method: 'POST',
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/pay?a=b#c`,
    headers: { 'content-type': 'application/json' },
    body,
    enoughBytes,
  });

/** Does not use `once`, which would reject if the connection is reset. */
const untilClosed = (socket: Socket | undefined) =>
  new Promise<void>((resolve) => {
    if (socket?.closed !== false) resolve();
    else socket.once('close', () => resolve());
  });

describe('an exchange', () => {
  it('sends path, query and body, and reads the answer whole', async () => {
    answer = (socket) =>
      void socket.write(
        'HTTP/1.1 201 Created\r\nX-One: 1\r\nX-Two: 2\r\nX-Two: 3\r\nContent-Length: 5\r\n\r\nhello',
      );
    const { status, headers, body } = await exchange().answer;
    expect(requests.join('')).toMatch(/^POST \/pay\?a=b HTTP\/1\.1\r\n[\s\S]*\r\n\r\n\{\}$/);
    expect({ status, body: body.toString() }).toEqual({ status: 201, body: 'hello' });
    expect(headers).toEqual({ 'x-one': '1', 'x-two': '2, 3', 'content-length': '5' });
  });

  it('sends no body where it is empty', async () => {
    answer = (socket) => void socket.write('HTTP/1.1 204 No Content\r\n\r\n');
    expect((await exchange(1024, '').answer).body).toHaveLength(0);
    expect(requests.join('')).toMatch(/content-length: 0\r\n/);
  });

  it('takes none of the announcements before an answer for the answer', async () => {
    answer = (socket) =>
      void socket.write(
        'HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
      );
    const { status, headers, body } = await exchange().answer;
    expect([status, headers, body.toString()]).toEqual([200, { 'content-length': '2' }, 'ok']);
  });

  it('ends the connection once enough was read, and keeps what was', async () => {
    answer = (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n0123456789');
    const { answer: answered } = exchange(4);
    expect((await answered).body.toString()).toBe('0123456789');
    await untilClosed(sockets[0]);
  });

  it('rejects with the reason for which it was aborted, and ends the connection', async () => {
    const reason = new Error('too late');
    const begun = exchange();
    answer = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf');
      begun.abort(reason);
    };
    await expect(begun.answer).rejects.toBe(reason);
    await untilClosed(sockets[0]);
  });

  it('is not sent where it was aborted while it waited for a connection', async () => {
    const first = exchange(1024, 'first');
    const reason = new Error('too late');
    const second = exchange(1024, 'second');
    second.abort(reason);
    answer = (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    const failed = expect(second.answer).rejects.toBe(reason);
    await first.answer;
    await failed;
    expect((await exchange(1024, 'third').answer).status).toBe(200);
    expect(requests.join('')).not.toContain('second');
  });

  it('rejects at once where it is aborted while it waits for a connection', async () => {
    answer = () => {};
    const first = exchange(1024, 'first');
    first.answer.catch(() => {});
    const reason = new Error('too late');
    const second = exchange(1024, 'second');
    second.abort(reason);
    await expect(second.answer).rejects.toBe(reason);
  });

  it('rejects where the answer breaks off', async () => {
    answer = (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf');
    await expect(exchange().answer).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
  });

  it('rejects an address and a header that cannot be sent', async () => {
    const request = { method: 'GET', headers: {}, body: '', enoughBytes: 1 } as const;
    await expect(new Exchange(dispatcher, { ...request, url: 'shop' }).answer).rejects.toThrow('Invalid URL');
    const url = 'http://127.0.0.1:1/';
    const headers = { 'x-line': 'a\nb' };
    await expect(new Exchange(dispatcher, { ...request, url, headers }).answer).rejects.toMatchObject({
      code: 'UND_ERR_INVALID_ARG',
    });
  });
});
