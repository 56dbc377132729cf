import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { runConnections } from '../support/connections.ts';
import { migratedDatabase } from '../support/fresh-database.ts';
import { Merchant } from '../support/merchant.ts';
import { commandJson, type RunningServer, startServer, temporaryFolder } from '../support/server.ts';
import { until } from '../support/until.ts';

const cleanUp = new CleanUp();
let server: RunningServer;
let upstream: string;
let shop: Merchant;
/** The requests to the stand-in for the processor. */
const asked: { path: string; key: string; agent: string; body: Record<string, unknown> }[] = [];
let goodKey = 'AQE-first-key-of-the-shop';

const credentials = {
  api_key: goodKey,
  merchant_account: 'ShopCOM',
  live_prefix: 'abc-Shop',
  hmac_key: 'ab'.repeat(32),
  notification_user: 'till',
  notification_password: 'a-long-password-for-notifications',
};

/** Starts a stand-in that implements just enough of the processor's API. */
async function standIn(): Promise<string> {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Record<string, unknown>;
    const key = String(request.headers['x-api-key']);
    const agent = String(request.headers['user-agent']);
    asked.push({ path: request.url ?? '', key, agent, body });
    response.setHeader('content-type', 'application/json');
    if (key !== goodKey) return response.writeHead(401).end('{}');
    if (request.url?.endsWith('/paymentMethods') === true) {
      return response.end(JSON.stringify({ paymentMethods: [{ type: 'scheme' }] }));
    }
    const { amount, reference } = body;
    return response.end(
      JSON.stringify({
        pspReference: 'PSP0000000000001',
        resultCode: 'Authorised',
        amount,
        merchantReference: reference,
      }),
    );
  };
  const listener = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  cleanUp.add(
    () =>
      new Promise<void>((resolve) => {
        listener.close(() => resolve());
        listener.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(listener.address() as AddressInfo).port}/checkout/v71`;
}

const connections = (input: object | string, ...parameters: string[]) =>
  runConnections(server, input, ...parameters);

const place = () => ['--account', shop.id, '--live'];
const pay = (changes: object = {}) => shop.pay({ merchant_initiated: false, ...changes });

beforeAll(async () => {
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  upstream = await standIn();
  server = await startServer({
    DATABASE_URL: await migratedDatabase(cleanUp),
    TILL_DATA_DIR: folder.path,
    TILL_PROCESSOR_TIMEOUT_MS: '5000',
  });
  cleanUp.add(() => server.stop('SIGKILL'));
  shop = await Merchant.openAt(server, 'processor_a', '--environment', 'live', '--three-d-secure', 'off');
  await commandJson(server.environment, ['accounts', 'update', shop.id, '--activation', 'active']);
});
afterAll(cleanUp.run);

describe('live connections', () => {
  it('are missing until they are set: a live payment says so', async () => {
    const refused = await pay();
    expect(refused.status).toBe(422);
    expect(refused.body.error.code).toBe('provider_not_configured');
    expect((await connections('', 'check', ...place())).value).toMatchObject({ error: { code: 'not_set' } });
  });

  it('are not kept where the input is wrong or the processor refuses them', async () => {
    const notJson = await connections('api_key=x', 'set', ...place(), '--base-url', upstream);
    expect(notJson).toMatchObject({ exitCode: 1, value: { error: { code: 'invalid_input' } } });
    const missing = await connections({ api_key: 'AQE-x' }, 'set', ...place(), '--base-url', upstream);
    expect(missing).toMatchObject({ exitCode: 1, value: { error: { code: 'invalid_credentials' } } });
    const wrong = { ...credentials, api_key: 'AQE-wrong-key-of-somebody' };
    const refused = await connections(wrong, 'set', ...place(), '--base-url', upstream);
    expect(refused).toMatchObject({ exitCode: 1, value: { error: { code: 'connection_refused' } } });
    expect(refused.printed).not.toContain('AQE-wrong-key');
    expect((await connections('', 'show', '--account', shop.id)).value).toEqual({ data: [] });
  });

  it('are set from standard input, shown without secrets, and used by the running server', async () => {
    const set = await connections(credentials, 'set', ...place(), '--base-url', upstream);
    expect(set).toMatchObject({ exitCode: 0, value: { account: shop.id, mode: 'live', base_url: upstream } });
    const shown = await connections('', 'show', '--account', shop.id);
    expect(shown.value.data).toMatchObject([{ merchant_account: 'ShopCOM', api_key: '…shop' }]);
    for (const secret of [credentials.api_key, credentials.hmac_key, credentials.notification_password]) {
      expect(set.printed + shown.printed).not.toContain(secret);
    }
    expect((await connections('', 'check', ...place())).value).toMatchObject({ ok: true });
    await until('the server uses them', async () => (await pay()).status === 201);
    const paid = await pay({ reference: 'live-1' });
    expect(paid.body).toMatchObject({ status: 'succeeded', livemode: true });
    const charge = asked.findLast(({ path }) => path === '/checkout/v71/payments');
    expect(charge).toMatchObject({
      key: goodKey,
      agent: expect.stringMatching(/^Till\/\d+\.\d+\.\d+$/),
      body: { merchantAccount: 'ShopCOM', reference: paid.body.id },
    });
  });

  it('are rotated while the server runs: one credential is replaced, the others stay', async () => {
    const former = goodKey;
    goodKey = 'AQE-second-key-of-the-shop';
    const failed = await connections('', 'check', ...place());
    expect(failed).toMatchObject({ exitCode: 1, value: { ok: false } });
    const rotated = await connections({ api_key: goodKey }, 'rotate', ...place());
    expect(rotated).toMatchObject({
      exitCode: 0,
      value: { merchant_account: 'ShopCOM', base_url: upstream },
    });
    await until('the server uses the new key', async () => {
      const paid = await pay();
      return paid.status === 201 && asked.at(-1)?.key === goodKey;
    });
    expect(former).not.toBe(goodKey);
    await commandJson(server.environment, ['vault', 'rotate', '--account', shop.id]);
    expect((await connections('', 'check', ...place())).value).toMatchObject({ ok: true });
  });

  it('are removed again', async () => {
    expect((await connections('', 'remove', ...place())).value).toMatchObject({ removed: true });
    await until('live payments are refused again', async () => (await pay()).status === 422);
  });
});
