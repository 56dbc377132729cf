import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../../support/clean-up.ts';
import { migratedDatabase } from '../../support/fresh-database.ts';
import { Merchant, target, till } from '../../support/merchant.ts';
import {
  type CommandResult,
  commandJson,
  type RunningServer,
  runCommand,
  startServer,
  temporaryFolder,
} from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { type ReceivedWebhook, WebhookReceiver } from './webhooks-receiver.ts';

const cleanUp = new CleanUp();
let server: RunningServer;
let receiver: WebhookReceiver;

beforeAll(async () => {
  receiver = await WebhookReceiver.open();
  cleanUp.add(() => receiver.close());
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  server = await startServer({
    DATABASE_URL: await migratedDatabase(cleanUp),
    TILL_DATA_DIR: folder.path,
    TILL_LIVE_SIMULATION: 'on',
    TILL_WEBHOOK_ALLOW_CIDRS: '127.0.0.1',
    TILL_WEBHOOK_SCHEDULE: '200ms,200ms',
  });
  cleanUp.add(() => server.stop());
});
afterAll(cleanUp.run);

interface Endpoint {
  readonly id: string;
  readonly url: string;
  readonly secret: string;
}

const webhooks = <T = Record<string, unknown>>(...parameters: string[]): Promise<T> =>
  commandJson<T>(server.environment, ['webhooks', ...parameters]);
const refused = async (...parameters: string[]): Promise<{ code: string; message: string }> => {
  const result: CommandResult = await runCommand(server.environment, ['webhooks', ...parameters, '--json']);
  expect(result.exitCode).toBe(1);
  return (JSON.parse(result.out) as { error: { code: string; message: string } }).error;
};
const open = (processor: 'processor_a' | 'processor_b' = 'processor_a', ...options: string[]) =>
  Merchant.openAt(server, processor, ...options);

/** Adds an endpoint with its own path. */
async function listen(shop: Merchant, ...options: string[]): Promise<Endpoint & { path: string }> {
  const path = `/${randomUUID()}`;
  const parameters = ['create', '--account', shop.id, '--url', receiver.url(path), ...options];
  return { ...(await webhooks<Endpoint>(...parameters)), path };
}

const arrived = (path: string, count = 1): Promise<ReceivedWebhook[]> =>
  until(`${count} webhooks at ${path}`, () => {
    const received = receiver.at(path);
    return received.length >= count ? received : undefined;
  });

/** Checks both signatures the way a receiver does that uses only Node. */
function expectSigned({ headers, body }: ReceivedWebhook, secret: string): void {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  expect(headers['webhook-signature']).toBe(
    `v1,${createHmac('sha256', key).update(content).digest('base64')}`,
  );
  expect(headers['service-signature']).toBe(
    `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  );
}

describe('an endpoint', () => {
  it('gets each outcome of a payment as the event log has it, signed', async () => {
    const shop = await open();
    const endpoint = await listen(shop);
    expect(endpoint).toMatchObject({
      id: expect.stringMatching(/^we_[a-z0-9]{24}$/),
      url: receiver.url(endpoint.path),
    });
    expect(endpoint.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const before = Math.floor(Date.now() / 1000);
    const paid = await shop.pay({ reference: 'Grün & Söhne' });
    const declined = await shop.pay({ card: { holder_name: 'CCREJECT-REFUSED' } });
    const received = await arrived(endpoint.path, 2);
    const of = (payment: typeof paid) =>
      received.find(({ event }) => event.data.object.id === payment.body.id) as ReceivedWebhook;
    expect(of(paid).event).toMatchObject({ type: 'payment.succeeded', livemode: false, sequence: 1 });
    expect(of(paid).event.data.object).toEqual(paid.body);
    expect(of(declined).event).toMatchObject({ type: 'payment.failed', data: { object: declined.body } });
    for (const webhook of received) {
      expect(webhook.body).toBe((await shop.get(`/api/v1/events/${webhook.event.id}`)).text);
      expect(webhook.headers['webhook-id']).toBe(webhook.event.id);
      expect(webhook.headers['content-type']).toMatch(/^application\/json/);
      const timestamp = Number(webhook.headers['webhook-timestamp']);
      expect(timestamp).toBeGreaterThanOrEqual(before);
      expect(timestamp).toBeLessThanOrEqual(before + 60);
      expectSigned(webhook, endpoint.secret);
    }
  });

  it('gets events of both modes, and every endpoint of the account gets them all', async () => {
    const shop = await open();
    const [one, other] = [await listen(shop), await listen(shop)];
    await shop.pay();
    const change = ['accounts', 'update', shop.id, '--environment', 'live', '--activation', 'active'];
    await commandJson(server.environment, change);
    const live = await commandJson<{ secret_key: string }>(server.environment, [
      'keys',
      'create',
      '--account',
      shop.id,
    ]);
    expect((await shop.pay({}, { key: live.secret_key })).status).toBe(201);
    for (const { path } of [one, other]) {
      const received = await arrived(path, 2);
      expect(received.map(({ event }) => event.livemode).sort()).toEqual([false, true]);
    }
  });

  it('gets exactly the four types, and further ones where it asks for them', async () => {
    const shop = await open('processor_b');
    const [plain, eager] = [await listen(shop), await listen(shop, '--additional-events', 'on')];
    const held = await shop.pay({ capture_method: 'manual' });
    await shop.post(`/api/v1/payments/${held.body.id}/capture`);
    const types = (received: ReceivedWebhook[]) => received.map(({ event }) => event.type);
    const all = ['payment.authorized', 'payment.succeeded'];
    expect(types(await arrived(eager.path, 2)).sort()).toEqual(all);
    expect(types(await arrived(plain.path))).toEqual(['payment.succeeded']);
    await webhooks('update', eager.id, '--additional-events', 'off');
    await shop.pay({ capture_method: 'manual' });
    await shop.pay();
    expect(types(await arrived(eager.path, 3)).sort()).toEqual([...all, 'payment.succeeded'].sort());
  });

  it('is retried on schedule; the delivery then fails, until it is retried by hand', async () => {
    const shop = await open();
    const endpoint = await listen(shop);
    receiver.answer = ({ path }) => ({ status: path === endpoint.path ? 500 : 200, body: 'out of order' });
    await shop.pay();
    const list = async () =>
      (await webhooks<{ data: Record<string, unknown>[] }>('deliveries', endpoint.id)).data;
    await arrived(endpoint.path, 3);
    const [failed] = await until('it failed', async () => {
      const rows = await list();
      return rows[0]?.state === 'failed' ? rows : undefined;
    });
    expect(failed).toMatchObject({ attempts: 3, type: 'payment.succeeded', next_attempt: null });
    const { data: attempts } = await webhooks<{ data: object[] }>('attempts', String(failed?.id));
    expect(attempts).toMatchObject(
      [1, 2, 3].map((number) => ({ number, answer_status: 500, answer_body: 'out of order' })),
    );
    receiver.answer = () => ({ status: 204 });
    await webhooks('retry', String(failed?.id));
    const received = await arrived(endpoint.path, 4);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    for (const webhook of received) expectSigned(webhook, endpoint.secret);
    await until('it succeeded', async () => (await list())[0]?.state === 'succeeded');
  });

  it('gets everything that failed since a time by one command', async () => {
    const shop = await open();
    const endpoint = await listen(shop);
    receiver.answer = () => ({ status: 503 });
    for (let count = 0; count < 3; count += 1) await shop.pay();
    const failed = ['deliveries', '--account', shop.id, '--state', 'failed'];
    await until('all failed', async () => (await webhooks<{ data: object[] }>(...failed)).data.length === 3);
    receiver.answer = () => ({ status: 200 });
    expect(await webhooks('retry', endpoint.id, '--since', '2099-01-01T00:00:00Z')).toEqual({ retried: 0 });
    expect(await webhooks('retry', endpoint.id)).toEqual({ retried: 3 });
    const received = await arrived(endpoint.path, 12);
    expect(new Set(received.slice(-3).map(({ event }) => event.id)).size).toBe(3);
  });

  it('gets only the new signature once the secret was rolled', async () => {
    const shop = await open();
    const endpoint = await listen(shop);
    await shop.pay();
    const [first] = await arrived(endpoint.path);
    const { secret, ...rest } = await webhooks<{ secret: string }>('roll', endpoint.id);
    expect(rest).toEqual({});
    await shop.pay();
    const [, second] = await arrived(endpoint.path, 2);
    expectSigned(first as ReceivedWebhook, endpoint.secret);
    expectSigned(second as ReceivedWebhook, secret);
    expect(secret).not.toBe(endpoint.secret);
  });

  it('is paused, keeps what happens meanwhile, and gets it when it is resumed', async () => {
    const shop = await open();
    const endpoint = await listen(shop);
    expect(await webhooks('pause', endpoint.id)).toMatchObject({
      status: 'paused',
      paused_reason: 'merchant',
    });
    const paid = await shop.pay();
    expect(await refused('test', endpoint.id)).toMatchObject({ code: 'endpoint_paused' });
    expect(receiver.at(endpoint.path)).toEqual([]);
    await webhooks('resume', endpoint.id);
    const [webhook] = await arrived(endpoint.path);
    expect(webhook?.event.data.object).toEqual(paid.body);
  });

  it('gets a test event, which is logged like any other', async () => {
    const shop = await open();
    const [endpoint, other] = [await listen(shop), await listen(shop)];
    const { event } = await webhooks<{ event: string }>('test', endpoint.id);
    const [webhook] = await arrived(endpoint.path);
    expect(webhook?.event).toMatchObject({ id: event, type: 'endpoint.test', livemode: false, sequence: 1 });
    expect((await shop.get(`/api/v1/events/${event}`)).text).toBe(webhook?.body);
    expect(receiver.at(other.path)).toEqual([]);
  });

  it('that is deleted gets nothing more', async () => {
    const shop = await open();
    const [gone, stays] = [await listen(shop), await listen(shop)];
    expect(await webhooks('delete', gone.id)).toEqual({ id: gone.id, deleted: true });
    await shop.pay();
    await arrived(stays.path);
    expect(receiver.at(gone.path)).toEqual([]);
    const { data } = await webhooks<{ data: { id: string }[] }>('list', '--account', shop.id);
    expect(data.map(({ id }) => id)).toEqual([stays.id]);
    expect(JSON.stringify(data)).not.toContain('whsec_');
    for (const command of ['roll', 'pause', 'resume', 'delete', 'test', 'update', 'retry', 'deliveries']) {
      expect(await refused(command, gone.id)).toMatchObject({ code: 'endpoint_not_found' });
    }
  });

  it('is one of at most 16: the next is refused', async () => {
    const shop = await open();
    for (let added = 0; added < 16; added += 1) await listen(shop);
    const { code, message } = await refused('create', '--account', shop.id, '--url', receiver.url('/more'));
    expect(code).toBe('too_many_endpoints');
    expect(message).toContain('16 webhook endpoints');
  });

  it('is refused with a wrong URL and on an unknown account', async () => {
    const shop = await open();
    for (const url of ['ftp://shop.example/', 'https://user:pw@shop.example/', 'not an address']) {
      expect(await refused('create', '--account', shop.id, '--url', url)).toMatchObject({
        code: 'invalid_url',
      });
    }
    const unknown = [
      'create',
      '--account',
      'acct_000000000000000000000000',
      '--url',
      'https://shop.example/',
    ];
    expect(await refused(...unknown)).toMatchObject({ code: 'account_not_found' });
    expect(await refused('attempts', 'dlv_000000000000000000000000')).toMatchObject({
      code: 'delivery_not_found',
    });
  });
});

describe('a receiver on this machine', () => {
  it('gets no connection where the operator does not name its address', async () => {
    const canary = await WebhookReceiver.open();
    cleanUp.add(() => canary.close());
    const shop = await Merchant.open();
    const hosts = ['127.0.0.1', 'localhost', '2130706433', '0', '[::ffff:127.0.0.1]'];
    for (const host of hosts) {
      await till('webhooks', 'create', '--account', shop.id, '--url', `http://${host}:${canary.port}/`);
    }
    await shop.pay();
    const { data } = await until('all were tried', async () => {
      const list = await till<{ data: { id: string; attempts: number }[] }>(
        'webhooks',
        'deliveries',
        '--account',
        shop.id,
      );
      return list.data.length === hosts.length && list.data.every(({ attempts }) => attempts > 0) && list;
    });
    for (const { id } of data) {
      const attempts = await till<{ data: { error: string; answer_status: number | null }[] }>(
        'webhooks',
        'attempts',
        id,
      );
      expect(attempts.data[0]).toMatchObject({
        answer_status: null,
        error: expect.stringContaining('does not lead to a public address'),
      });
    }
    expect(canary.connections).toBe(0);
    expect(target().environment.TILL_WEBHOOK_ALLOW_CIDRS).toBeUndefined();
  });
});
