import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CleanUp } from '../../support/clean-up.ts';
import { Browser } from '../../support/dashboard.ts';
import { migratedDatabase } from '../../support/fresh-database.ts';
import { Merchant } from '../../support/merchant.ts';
import { commandJson, type RunningServer, startServer, temporaryFolder } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { WebhookReceiver } from './webhooks-receiver.ts';

/**
 * Deliveries that still wait after an outage of the receiver, because the schedule would send them only an hour later.
 */
const cleanUp = new CleanUp();
let server: RunningServer;
let receiver: WebhookReceiver;
let shop: Merchant;
let developer: Browser;
let endpoint: { id: string };
const beginning = '2026-01-01T00:00:00Z';

beforeAll(async () => {
  receiver = await WebhookReceiver.open();
  cleanUp.add(() => receiver.close());
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  server = await startServer({
    DATABASE_URL: await migratedDatabase(cleanUp),
    TILL_DATA_DIR: folder.path,
    TILL_WEBHOOK_ALLOW_CIDRS: '127.0.0.1',
    TILL_WEBHOOK_SCHEDULE: '1h,1h',
  });
  cleanUp.add(() => server.stop());
});
afterAll(cleanUp.run);

const webhooks = (...parameters: string[]) => commandJson(server.environment, ['webhooks', ...parameters]);
const path = () => `/accounts/${shop.id}/webhook_endpoints/${endpoint.id}`;
const read = async (rest = '') => (await developer.get(`${path()}${rest}`)).body;
const at = () => receiver.at(`/${shop.id}`);

beforeEach(async () => {
  shop = await Merchant.openAt(server);
  developer = await Browser.of(shop, 'developer', server);
  receiver.answer = () => ({ status: 503 });
  endpoint = (await webhooks(
    'create',
    '--account',
    shop.id,
    '--name',
    'Orders',
    '--url',
    receiver.url(`/${shop.id}`),
  )) as typeof endpoint;
});

/** Creates payments with events whose first delivery attempt failed. */
async function outage(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push((await shop.pay()).body.id as string);
  await until('each failed once', async () => (await read()).health.retrying === count);
  receiver.answer = () => ({ status: 200 });
  return ids;
}

const delivered = (count: number) =>
  until('all were delivered', async () => (await read('/deliveries?state=succeeded')).total_count === count);

describe('what waits after an outage', () => {
  it('is sent at once by one command, by type and time, and counted', async () => {
    await outage(3);
    const none = { sent: 0, left: 0 };
    expect(await webhooks('recover', endpoint.id, '--since', '2099-01-01T00:00:00Z')).toEqual(none);
    expect(await webhooks('recover', endpoint.id, '--since', beginning, '--until', beginning)).toEqual(none);
    const other = ['--since', beginning, '--types', 'refund.failed,refund.succeeded'];
    expect(await webhooks('recover', endpoint.id, ...other)).toEqual(none);
    const all = ['--since', beginning, '--types', 'payment.succeeded', '--per-second', '100'];
    expect(await webhooks('recover', endpoint.id, ...all)).toEqual({ sent: 3, left: 0 });
    await delivered(3);
    expect(at()).toHaveLength(6);
    expect(new Set(at().map(({ event }) => event.id)).size).toBe(3);
    expect(await webhooks('recover', endpoint.id, ...all)).toEqual(none);
  });

  it('is sent by groups of types, and a type that there is not is refused', async () => {
    await outage(1);
    for (const name of ['recover', 'replay']) {
      const misspelt = webhooks(name, endpoint.id, '--since', beginning, '--types', 'payment.suceeded');
      await expect(misspelt).rejects.toThrow('invalid_usage');
    }
    const groups = ['--since', beginning, '--types', 'refund.failed, payment.*'];
    expect(await webhooks('recover', endpoint.id, ...groups)).toEqual({ sent: 1, left: 0 });
    await delivered(1);
  });

  it('is sent at once from the dashboard, with its progress, at the speed that is asked for', async () => {
    await outage(3);
    expect(await read('/recover?since=2026-01-01T00:00:00Z')).toEqual({ failed: 0, waiting: 0, retrying: 3 });
    const began = Date.now();
    const answer = await developer.post(`${path()}/recover`, { since: beginning, per_second: 2 });
    expect(answer.body).toEqual({ resent: 3, left: 0 });
    await delivered(3);
    expect(Date.now() - began).toBeGreaterThan(700);
    expect(await read()).toMatchObject({ failing_since: null, health: { pending: 0, retrying: 0 } });
    const tooFast = await developer.post(`${path()}/recover`, { since: beginning, per_second: 501 });
    expect([tooFast.status, tooFast.body.error.param]).toEqual([422, 'per_second']);
  });
});

describe('what happened in a time', () => {
  it('is sent once more by replay, what had succeeded and what an endpoint never got included', async () => {
    receiver.answer = () => ({ status: 200 });
    await shop.pay();
    const { body: second } = await shop.pay();
    await delivered(2);
    const late = (await webhooks(
      'create',
      '--account',
      shop.id,
      '--url',
      receiver.url(`/${shop.id}/late`),
    )) as typeof endpoint;
    await webhooks('update', endpoint.id, '--events', 'payment.succeeded');
    await shop.post(`/api/v1/payments/${second.id}/refunds`, {});
    const all = ['--since', beginning, '--per-second', '500'];
    expect(await webhooks('replay', endpoint.id, ...all, '--until', beginning)).toEqual({ sent: 0, left: 0 });
    expect(await webhooks('replay', endpoint.id, ...all)).toEqual({ sent: 2, left: 0 });
    await until('each came twice', () => at().length === 4);
    expect(new Set(at().map(({ event }) => event.id)).size).toBe(2);
    // The dashboard also sends them to an endpoint that was added after the events.
    await until('the refund came', () => receiver.at(`/${shop.id}/late`).length === 1);
    const place = `/accounts/${shop.id}/webhook_endpoints/${late.id}/recover`;
    const types = ['payment.succeeded'];
    const answer = await developer.post(place, { since: beginning, types, replay: true });
    expect(answer.body).toEqual({ resent: 2, left: 0 });
    await until('both came', () => receiver.at(`/${shop.id}/late`).length === 3);
    const other = await Merchant.openAt(server);
    const stranger = await Browser.of(other, 'developer', server);
    const foreign = `/accounts/${other.id}/webhook_endpoints/${late.id}/recover`;
    expect((await stranger.post(foreign, { since: beginning, replay: true })).status).toBe(404);
  });
});

describe('an endpoint', () => {
  it('has a name of its own, on the payment too, whose deliveries are found by it', async () => {
    const [first = '', second = ''] = await outage(2);
    await webhooks('update', endpoint.id, '--name', 'Orders in Berlin');
    expect(await webhooks('list', '--account', shop.id)).toMatchObject({
      data: [{ id: endpoint.id, name: 'Orders in Berlin' }],
    });
    const { data } = await read(`/deliveries?payment=${first}`);
    expect(data).toHaveLength(1);
    const detail = (await developer.get(`/accounts/${shop.id}/payments/${first}`)).body;
    const steps = detail.timeline.flatMap((step: { deliveries: object[] }) => step.deliveries);
    expect(steps).toMatchObject([{ id: data[0].id, endpoint: endpoint.id, name: 'Orders in Berlin' }]);
    expect((await read(`/deliveries?payment=${second}`)).data).toHaveLength(1);
    const other = await Merchant.openAt(server);
    const { body: foreign } = await other.pay();
    expect((await read(`/deliveries?payment=${foreign.id}`)).data).toEqual([]);
    await webhooks('update', endpoint.id, '--name', '');
    expect(await read()).toMatchObject({ name: null });
  });

  it('is found by the refunds of a payment as well', async () => {
    const [payment = ''] = await outage(1);
    const refund = await shop.post(`/api/v1/payments/${payment}/refunds`, {});
    await until('the refund is sent', () =>
      at().some(({ event }) => event.data.object.id === refund.body.id),
    );
    expect((await read(`/deliveries?payment=${payment}`)).total_count).toBe(2);
  });
});
