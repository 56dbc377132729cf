import { spawnSync } from 'node:child_process';
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../lib/clock.ts';
import { addressPolicy } from '../endpoints/target-address.ts';
import { Receiver } from '../test-kit.ts';
import type { ResolveHost } from './connect.ts';
import { type Exchange, webhookTransport } from './transport.ts';

/** Shortens the deadline of ten seconds to a fifth of a second. */
const impatient = {
  ...systemClock,
  elapsed: () => systemClock.elapsed() * 50,
  delay: (ms: number, signal?: AbortSignal) => systemClock.delay(ms / 50, signal),
};
const freshMachine = addressPolicy({ allowed: [], loopback: true });
const standard = addressPolicy({ allowed: [], loopback: false });

const loopback: LookupAddress = { address: '127.0.0.1', family: 4 };
const publicAddress: LookupAddress = { address: '93.184.216.34', family: 4 };

let receiver: Receiver;
beforeAll(async () => {
  receiver = await Receiver.open();
});
afterAll(() => receiver.close());

const closing: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(closing.map((close) => close())));

function transportWith(
  options: { policy?: typeof standard; resolve?: ResolveHost; clock?: typeof systemClock } = {},
) {
  const transport = webhookTransport({
    policy: options.policy ?? freshMachine,
    resolve: options.resolve ?? (async () => [loopback]),
    clock: options.clock ?? systemClock,
  });
  closing.push(() => transport.close());
  return (url: string, body = '{}'): Promise<Exchange> =>
    transport.send({ url, headers: { 'content-type': 'application/json', 'webhook-id': 'evt_1' }, body });
}

const errorOf = (exchange: Exchange) => ('error' in exchange ? exchange.error : '');

describe('a webhook', () => {
  it('arrives byte for byte and brings the answer back', async () => {
    receiver.answer = (_request, response) => response.writeHead(202, { 'X-Shop': 'one' }).end('thanks');
    const body = '{"name":"Grün & Söhne"}';
    const exchange = await transportWith()(`${receiver.url}?a=b`, body);
    expect(exchange).toEqual({
      answer: { status: 202, headers: expect.objectContaining({ 'x-shop': 'one' }), body: 'thanks' },
    });
    expect(receiver.received.at(-1)).toMatchObject({
      url: '/hooks?a=b',
      body,
      headers: {
        'content-type': 'application/json',
        'webhook-id': 'evt_1',
        'content-length': String(Buffer.byteLength(body)),
      },
    });
  });

  it('shares connections with others', async () => {
    receiver.answer = (_request, response) => response.end();
    const send = transportWith();
    const before = receiver.connections;
    for (let n = 0; n < 20; n += 1) expect(await send(receiver.url)).toHaveProperty('answer.status', 200);
    expect(receiver.connections - before).toBeLessThanOrEqual(3);
  });

  it('follows no redirect', async () => {
    receiver.answer = (_request, response) =>
      response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end();
    const before = receiver.received.length;
    expect(await transportWith()(receiver.url)).toHaveProperty('answer.status', 302);
    expect(receiver.received.length - before).toBe(1);
  });

  it('unpacks nothing', async () => {
    const packed = gzipSync('x'.repeat(10_000_000));
    receiver.answer = (_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed);
    const exchange = await transportWith()(receiver.url);
    expect('answer' in exchange && exchange.answer.body.length).toBeLessThanOrEqual(8192);
    expect('answer' in exchange && exchange.answer.body).not.toContain('xxxx');
  });

  it('masks card numbers of the answer and stores no null characters', async () => {
    receiver.answer = (_request, response) =>
      response.writeHead(400, { 'x-echo': '4111111111111111' }).end('bad card 4111 1111 1111 1111\0');
    const exchange = await transportWith()(receiver.url);
    expect(exchange).toMatchObject({
      answer: {
        headers: { 'x-echo': '[card ••••1111]' },
        body: expect.stringMatching(/^bad card \[card ••••1111\]\ufffd$/),
      },
    });
  });
});

describe('a hostile receiver', () => {
  it('that sends a gigabyte is read no further than 16 KiB, of which 8 are kept', async () => {
    let written = 0;
    receiver.answer = (_request, response) => {
      response.writeHead(200, { 'content-length': String(2 ** 30) });
      const more = () => {
        while (!response.destroyed && written < 2 ** 30) {
          written += 65_536;
          if (!response.write(Buffer.alloc(65_536, 'a'))) return;
        }
      };
      response.on('drain', more);
      more();
    };
    const exchange = await transportWith()(receiver.url);
    expect(exchange).toMatchObject({ answer: { status: 200, body: 'a'.repeat(8192) } });
    // The operating system's buffers take some.
    expect(written).toBeLessThan(32 * 2 ** 20);
  });

  it.each([
    ['never answers', () => {}],
    ['stops after the headers', (response: import('node:http').ServerResponse) => response.flushHeaders()],
    [
      'answers a byte at a time',
      (response: import('node:http').ServerResponse) => {
        const timer = setInterval(() => response.write('a'), 20);
        response.on('close', () => clearInterval(timer));
      },
    ],
  ])('that %s is left at the deadline', async (_what, answer) => {
    receiver.answer = (_request, response) => answer(response);
    expect(errorOf(await transportWith({ clock: impatient })(receiver.url))).toBe(
      'No complete answer within 10 seconds.',
    );
  });

  it('that sends endless headers is refused', async () => {
    receiver.answer = (_request, response) => {
      response.socket?.write('HTTP/1.1 200 OK\r\n');
      for (let n = 0; n < 2000; n += 1) response.socket?.write(`x-${n}: ${'y'.repeat(100)}\r\n`);
    };
    expect(errorOf(await transportWith()(receiver.url))).toBe('The headers of the answer are too long.');
  });

  it('that hangs up, or does not speak HTTP, is a failure', async () => {
    receiver.answer = (_request, response) => response.socket?.destroy();
    expect(errorOf(await transportWith()(receiver.url))).toMatch(/closed|reset/);
    receiver.answer = (_request, response) => response.socket?.end('SSH-2.0-x\r\n');
    expect(errorOf(await transportWith()(receiver.url))).toMatch(/exchange failed|closed/);
  });

  it('that nobody listens at, or whose name is unknown, is a failure', async () => {
    const gone = await Receiver.open();
    const { url } = gone;
    await gone.close();
    expect(errorOf(await transportWith()(url))).toBe('The connection was refused.');
    const unknown = Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' });
    const send = transportWith({ resolve: async () => Promise.reject(unknown) });
    expect(errorOf(await send('http://no.example/'))).toBe('The host name is not known.');
  });
});

describe('an address that is not public', () => {
  it.each([
    '127.0.0.1',
    '127.1',
    '0x7f000001',
    '0x7f.1',
    '2130706433',
    '0177.0.0.1',
    '017700000001',
    '0',
    '0.0.0.0',

    '①②⑦.⓪.⓪.①',
    '127。0。0。1',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    'localhost',
    'localhost.',
    'LOCALHOST',
    'inner.localhost',
  ])('is not connected to, however it is written: %s', async (host) => {
    const before = receiver.connections;
    const send = transportWith({ policy: standard });
    expect(errorOf(await send(`http://${host}:${receiver.port}/`))).toContain(
      'does not lead to a public address',
    );
    expect(receiver.connections).toBe(before);
  });

  it('is not connected to where a name has it beside a public one', async () => {
    const before = receiver.connections;
    for (const addresses of [
      [publicAddress, loopback],
      [loopback, publicAddress],
    ]) {
      const send = transportWith({ policy: standard, resolve: async () => addresses });
      const error = errorOf(await send(`http://mixed.example:${receiver.port}/`));
      expect(error).toContain('does not lead to a public address');
      expect(error).not.toContain('127.0.0.1');
    }
    expect(receiver.connections).toBe(before);
  });

  it('is not connected to where a name flips to it: the address that was checked is the one', async () => {
    let asked = 0;
    const resolve = async () => [asked++ === 0 ? publicAddress : loopback];
    const before = receiver.connections;
    const send = transportWith({ policy: standard, resolve, clock: impatient });
    // No receiver answers at the public address here, and the second resolution is refused.
    expect(errorOf(await send(`http://flips.example:${receiver.port}/`))).not.toBe('');
    expect(asked).toBe(1);
    const patient = transportWith({ policy: standard, resolve });
    expect(errorOf(await patient(`http://flips.example:${receiver.port}/`))).toContain('does not lead to');
    expect(receiver.connections).toBe(before);
  });

  it('is hung up on where the connection leads to it all the same', async () => {
    const seen: string[] = [];
    const server = net.createServer((socket) => socket.on('data', (chunk) => seen.push(chunk.toString())));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    // Simulates a network that leads the checked address elsewhere: this policy changes its answer after the look-up.
    let checks = 0;
    const changing = { allows: () => checks++ === 0 };
    const send = transportWith({ policy: changing });
    expect(errorOf(await send(`http://shop.example:${(server.address() as AddressInfo).port}/`))).toContain(
      'does not lead to',
    );
    expect(checks).toBe(2);
    server.close();
    await once(server, 'close');
    expect(seen).toEqual([]);
  });
});

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

describe.runIf(hasOpenssl)('a receiver with TLS', () => {
  const seen: string[] = [];
  let server: https.Server;
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'till-tls-'));
    const [key, cert] = [join(folder, 'key'), join(folder, 'cert')];
    const subject = ['-subj', '/CN=shop.example', '-addext', 'subjectAltName=DNS:shop.example'];
    const made = spawnSync('openssl', [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      '-keyout',
      key,
      '-out',
      cert,
      ...subject,
    ]);
    expect(made.status).toBe(0);
    server = https.createServer(
      { key: await readFile(key), cert: await readFile(cert) },
      (request, response) => {
        seen.push(request.url ?? '');
        response.end();
      },
    );
    await rm(folder, { recursive: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => void server.close());

  it('and a certificate that nobody vouches for gets nothing', async () => {
    const send = transportWith();
    const { port } = server.address() as AddressInfo;
    expect(errorOf(await send(`https://shop.example:${port}/`))).toBe('The certificate is self-signed.');
    expect(errorOf(await send(`https://other.example:${port}/`))).toMatch(/certificate/);
    expect(seen).toEqual([]);
  });
});
