import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MerchantClient } from '../../lib/merchant-client.ts';
import { mcpTools, type ToolDependencies } from './tools.ts';

const args = {
  amount: 100,
  currency: 'EUR',
  customer: 'cus_1',
  payment_method: 'pm_1',
  idempotency_key: 'k-1',
};

/** Runs the tools against a server with this listener. @returns a function that calls a tool, and the requests received */
async function toolsOver(listener: RequestListener) {
  const got: unknown[] = [];
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      got.push(request.url);
      listener(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const deps = { api: new MerchantClient(address, 'rk_live_x') } as unknown as ToolDependencies;
  const tools = mcpTools(deps, { apiKey: 'rk_live_x', allowWrites: true });
  const run = async (name: string, given: Parameters<(typeof tools)[number]['run']>[0]) =>
    tools.find((tool) => tool.name === name)?.run(given);
  return { run, got, server };
}

describe('a charge that got no answer', () => {
  it.each<[string, RequestListener]>([
    ['the connection ended', (request) => request.socket.destroy()],
    [
      'a proxy answered',
      (_request, response) => response.writeHead(504).end('<html>Gateway Time-out</html>'),
    ],
    [
      'the answer was cut',
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': 9 }).write('{');
        response.destroy();
      },
    ],
  ])('is to be repeated with the same key, since %s', async (_, listener) => {
    const { run, got } = await toolsOver(listener);
    await expect(run('charge_saved_method', args)).rejects.toThrow(
      /^It is not known whether this was carried out: .*\. Repeat it with the same idempotency key, and with no other\.$/,
    );
    expect(got).toEqual(['/api/v1/payments']);
  });

  it('was not sent where no server listens', async () => {
    const { run, server } = await toolsOver(() => {});
    await new Promise((resolve) => server.close(resolve));
    await expect(run('charge_saved_method', args)).rejects.toThrow(/^No server answers at .*ECONNREFUSED/);
  });

  it('is refused before it is sent where its key can be no header', async () => {
    const { run, got } = await toolsOver((_request, response) => response.end('{}'));
    await expect(run('charge_saved_method', { ...args, idempotency_key: 'Zahlung – 1' })).rejects.toThrow(
      'Nothing was sent.',
    );
    expect(got).toEqual([]);
  });
});

it.each(['', '.', '..', 'pay_1/refunds', 'pay_1?x'])('the id %j leads to no other path', async (id) => {
  const { run, got } = await toolsOver((_request, response) => response.end('{}'));
  await expect(run('get_payment', { id })).rejects.toThrow('id must be an id');
  expect(got).toEqual([]);
});
