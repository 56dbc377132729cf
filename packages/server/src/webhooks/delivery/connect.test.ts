import { once } from 'node:events';
import { createServer } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../lib/clock.ts';
import { addressPolicy } from '../endpoints/target-address.ts';
import { Receiver } from '../test-kit.ts';
import { webhookTransport } from './transport.ts';

/** A `CONNECT` request that the forward proxy got. */
interface Asked {
  readonly target: string | undefined;
  readonly authorization: string | undefined;
}

const asked: Asked[] = [];
let status = 200;
/** Connects to the requested port on this machine, whatever the requested address. */
const proxy = createServer().on('connect', (request, client, head) => {
  asked.push({ target: request.url, authorization: request.headers['proxy-authorization'] });
  client.write(`HTTP/1.1 ${status} Any\r\n\r\n`);
  if (status !== 200) {
    client.end();
    return;
  }
  const upstream = net.connect(Number(request.url?.split(':').at(-1)), '127.0.0.1');
  upstream.write(head);
  upstream.pipe(client).pipe(upstream);
  for (const socket of [client, upstream]) socket.on('error', () => {});
});

let receiver: Receiver;
let proxyPort: number;
beforeAll(async () => {
  receiver = await Receiver.open();
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  proxyPort = (proxy.address() as AddressInfo).port;
});
afterAll(async () => {
  proxy.close();
  await receiver.close();
});
beforeEach(() => {
  asked.length = 0;
  status = 200;
});

const publicAddress = { address: '93.184.216.34', family: 4 };

/** Posts once through the proxy. Names resolve to these addresses. */
async function send(url: string, addresses = [publicAddress], through = `127.0.0.1:${proxyPort}`) {
  const transport = webhookTransport({
    policy: addressPolicy({ allowed: [], loopback: false }),
    resolve: async () => addresses,
    clock: systemClock,
    proxy: `http://${through}/`,
  });
  try {
    return await transport.send({ url, headers: { 'webhook-id': 'evt_1' }, body: '{"a":1}' });
  } finally {
    await transport.close();
  }
}

describe('with a forward proxy', () => {
  it('a webhook goes through it, to the address that was checked', async () => {
    receiver.answer = (_request, response) => response.writeHead(202).end('thanks');
    const before = receiver.received.length;
    const exchange = await send(`http://shop.example:${receiver.port}/hooks`);
    expect(exchange).toMatchObject({ answer: { status: 202, body: 'thanks' } });
    expect(asked).toEqual([{ target: `93.184.216.34:${receiver.port}`, authorization: undefined }]);
    expect(receiver.received.slice(before)).toMatchObject([{ url: '/hooks', body: '{"a":1}' }]);
    expect(receiver.received.at(-1)?.headers.host).toBe(`shop.example:${receiver.port}`);
  });

  it('its user and password are sent to it alone', async () => {
    await send(`http://shop.example:${receiver.port}/`, undefined, `shop:p%40ss@127.0.0.1:${proxyPort}`);
    const expected = `Basic ${Buffer.from('shop:p@ss').toString('base64')}`;
    expect(asked.map(({ authorization }) => authorization)).toEqual([expected]);
    expect(receiver.received.at(-1)?.headers).not.toHaveProperty('proxy-authorization');
  });

  it.each([
    ['a name that leads to a private address', 'http://shop.example/', '10.0.0.7'],
    ['a private address', 'http://10.0.0.7/', '93.184.216.34'],
    ['this machine', 'http://[::1]:80/', '93.184.216.34'],
  ])('%s is not asked of it', async (_what, url, address) => {
    const exchange = await send(url, [publicAddress, { address, family: 4 }]);
    expect(exchange).toMatchObject({ error: expect.stringContaining('does not lead to a public address') });
    expect(asked).toEqual([]);
  });

  it('an IPv6 address is asked for in brackets, with the port of its scheme', async () => {
    await send('https://shop.example/', [{ address: '2606:2800:220:1::1', family: 6 }]);
    expect(asked.map(({ target }) => target)).toEqual(['[2606:2800:220:1::1]:443']);
  });

  it('a receiver is asked for its certificate inside of the tunnel', async () => {
    const exchange = await send(`https://shop.example:${receiver.port}/`);
    expect(asked).toHaveLength(1);
    expect(exchange).toMatchObject({ error: expect.stringMatching(/exchange failed|closed|reset/) });
  });

  it('the merchant reads that the proxy refuses, or is away', async () => {
    status = 407;
    const url = `http://shop.example:${receiver.port}/`;
    expect(await send(url)).toEqual({ error: 'The forward proxy of this server answered 407.' });
    const away = net.createServer().listen(0, '127.0.0.1');
    await once(away, 'listening');
    const { port } = away.address() as AddressInfo;
    away.close();
    await once(away, 'close');
    expect(await send(url, undefined, `127.0.0.1:${port}`)).toEqual({
      error: 'The forward proxy of this server cannot be reached.',
    });
  });
});
