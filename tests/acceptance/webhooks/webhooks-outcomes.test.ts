import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../../support/clean-up.ts';
import { migratedDatabase } from '../../support/fresh-database.ts';
import { freshEmail, Merchant } from '../../support/merchant.ts';
import { commandJson, type RunningServer, startServer, temporaryFolder } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { type ReceivedWebhook, WebhookReceiver } from './webhooks-receiver.ts';

const processors = ['processor_a', 'processor_b'] as const;
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
    TILL_WEBHOOK_ALLOW_CIDRS: '127.0.0.1',
    TILL_WEBHOOK_SCHEDULE: '100ms',
    TILL_DISPUTES_API: 'on',
    TILL_RATE_LIMIT_RPS: '0',
  });
  cleanUp.add(() => server.stop());
});
afterAll(cleanUp.run);

const webhooks = <T>(...parameters: string[]): Promise<T> =>
  commandJson<T>(server.environment, ['webhooks', ...parameters]);

/** Adds an endpoint with its own path. */
async function listen(shop: Merchant, ...options: string[]): Promise<{ id: string; path: string }> {
  const path = `/${randomUUID()}`;
  const parameters = ['create', '--account', shop.id, '--url', receiver.url(path), ...options];
  return { ...(await webhooks<{ id: string }>(...parameters)), path };
}

/** The events about an object that have arrived at a path. */
const about = (path: string, objectId: string): ReceivedWebhook['event'][] =>
  receiver
    .at(path)
    .map(({ event }) => event)
    .filter(({ data }) => data.object.id === objectId);

/** Waits until this many events about an object have arrived, and returns them in the order of the events. */
const arrived = (path: string, objectId: string, count = 1): Promise<ReceivedWebhook['event'][]> =>
  until(`${count} events about ${objectId}`, () => {
    const events = about(path, objectId);
    return events.length >= count && events.sort((one, other) => one.sequence - other.sequence);
  });

const advance = (shop: Merchant, seconds: number) =>
  shop.post('/api/v1/test_helpers/clock/advance', { seconds });

describe.each(processors)('an endpoint of a shop on %s', (processor) => {
  let shop: Merchant;
  let path: string;
  beforeAll(async () => {
    shop = await Merchant.openAt(server, processor);
    ({ path } = await listen(shop));
  });

  it.each([
    ['refund.succeeded', {}],
    ['refund.failed', { note: 'SIM-REFUND-FAIL-ASYNC' }],
    ['refund.failed', { note: 'SIM-REFUND-FAIL-SYNC' }],
  ])('gets %s with what retrieve shows (%j)', async (type, request) => {
    const payment = (await shop.pay()).body;
    const { body } = await shop.post(`/api/v1/payments/${payment.id}/refunds`, request);
    await advance(shop, 3);
    const [event] = await arrived(path, body.id);
    expect(event).toMatchObject({ type, livemode: false, sequence: 1 });
    expect(event?.data.object).toEqual((await shop.get(`/api/v1/refunds/${body.id}`)).body);
  });

  it('gets both ends of a refund that the scheme took back, numbered', async () => {
    const payment = (await shop.pay()).body;
    const request = { note: 'SIM-REFUND-REVERSED' };
    const { body } = await shop.post(`/api/v1/payments/${payment.id}/refunds`, request);
    await advance(shop, 3);
    await advance(shop, 20);
    expect(await arrived(path, body.id, 2)).toMatchObject([
      { type: 'refund.succeeded', sequence: 1, data: { object: { status: 'succeeded' } } },
      { type: 'refund.failed', sequence: 2, data: { object: { status: 'failed' } } },
    ]);
  });

  it('gets payment.succeeded after a challenge, and only that', async () => {
    const card = { number: '4917610000000000' };
    const { body } = await shop.pay({ authentication: 'always', card });
    expect(body.status).toBe('requires_action');
    await shop.post(`/api/v1/test_helpers/payments/${body.id}/approve`, {});
    const confirmed = await shop.post(`/api/v1/payments/${body.id}/confirm`);
    expect(await arrived(path, body.id)).toMatchObject([
      { type: 'payment.succeeded', sequence: 2, data: { object: confirmed.body } },
    ]);
    expect(about(path, body.id)).toHaveLength(1);
  });

  it('gets payment.failed when the 15 minutes end', async () => {
    const card = { number: '4917610000000000' };
    const { body } = await shop.pay({ authentication: 'always', card });
    await advance(shop, 901);
    expect(await arrived(path, body.id)).toMatchObject([
      { type: 'payment.failed', data: { object: { failure: { code: '3ds_abandoned' } } } },
    ]);
  });

  it('gets the outcome of a rebill', async () => {
    const saving = { customer: { email: freshEmail() }, card: { holder_name: 'SIM-MIT-DECLINE' } };
    const first = (await shop.pay(saving)).body;
    const rebill = await shop.post('/api/v1/payments', {
      amount: 700,
      currency: 'EUR',
      customer: first.customer,
      stored_payment_method: first.payment_method_id,
      merchant_initiated: true,
    });
    expect(await arrived(path, rebill.body.id)).toMatchObject([
      { type: 'payment.failed', data: { object: rebill.body } },
    ]);
  });

  it('gets the events of disputes where it asks for additional ones', async () => {
    const eager = await listen(shop, '--additional-events', 'on');
    const payment = (await shop.pay()).body;
    const opened = (await shop.post(`/api/v1/test_helpers/payments/${payment.id}/dispute`, {})).body;
    const toArbitration = ['--state', 'pre_arbitration', '--status', 'action_required'];
    await commandJson(server.environment, ['disputes', 'move', opened.id, ...toArbitration]);
    const accepted = (await shop.post(`/api/v1/disputes/${opened.id}/accept`)).body;
    const raised = { ...accepted, status: 'action_required' };
    expect(await arrived(eager.path, opened.id, 3)).toMatchObject([
      { type: 'dispute.created', sequence: 1, data: { object: opened } },
      { type: 'dispute.updated', sequence: 2, data: { object: raised } },
      { type: 'dispute.closed', sequence: 3, data: { object: accepted } },
    ]);
    await arrived(path, (await shop.pay()).body.id);
    expect(about(path, opened.id)).toEqual([]);
  });
});

describe('a redirect', () => {
  it('is a failure and not followed', async () => {
    const shop = await Merchant.openAt(server);
    const { id: endpoint, path } = await listen(shop);
    const elsewhere = `/${randomUUID()}`;
    receiver.answer = (webhook) =>
      webhook.path === path
        ? { status: 307, headers: { location: receiver.url(elsewhere) } }
        : { status: 200 };
    await shop.pay();
    const [delivery] = await until('it failed', async () => {
      const { data } = await webhooks<{ data: { id: string; state: string }[] }>('deliveries', endpoint);
      return data[0]?.state === 'failed' && data;
    });
    const attempts = await webhooks<{ data: object[] }>('attempts', delivery?.id ?? '');
    expect(attempts.data).toMatchObject([
      { number: 1, answer_status: 307 },
      { number: 2, answer_status: 307 },
    ]);
    expect(receiver.at(elsewhere)).toEqual([]);
  });
});
