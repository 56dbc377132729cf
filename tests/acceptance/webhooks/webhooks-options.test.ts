import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../../support/clean-up.ts';
import { Browser } from '../../support/dashboard.ts';
import { migratedDatabase } from '../../support/fresh-database.ts';
import { Merchant } from '../../support/merchant.ts';
import {
  commandJson,
  type RunningServer,
  runCommand,
  startServer,
  temporaryFolder,
} from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { type ReceivedWebhook, WebhookReceiver } from './webhooks-receiver.ts';

/** The settings of an endpoint that merchants choose, by command line and dashboard. */
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
    TILL_WEBHOOK_SCHEDULE: '1h,1h',
  });
  cleanUp.add(() => server.stop());
});
afterAll(cleanUp.run);

const webhooks = <T = Record<string, unknown>>(...parameters: string[]): Promise<T> =>
  commandJson<T>(server.environment, ['webhooks', ...parameters]);
const refused = async (...parameters: string[]): Promise<string> => {
  const result = await runCommand(server.environment, ['webhooks', ...parameters, '--json']);
  expect(result.exitCode).toBe(1);
  return (JSON.parse(result.out) as { error: { code: string } }).error.code;
};

interface Endpoint {
  readonly id: string;
  readonly secret: string;
  readonly path: string;
}

async function listen(shop: Merchant, ...options: string[]): Promise<Endpoint> {
  const path = `/${randomUUID()}`;
  const asked = ['create', '--account', shop.id, '--url', receiver.url(path), ...options];
  return { ...(await webhooks<Endpoint>(...asked)), path };
}

const arrived = ({ path }: Endpoint, count = 1): Promise<ReceivedWebhook[]> =>
  until(`${count} webhooks at ${path}`, () => {
    const received = receiver.at(path);
    return received.length >= count ? received : undefined;
  });

/** Whether one of the Standard Webhooks signatures was made with this secret. */
function signs(secret: string, webhook: ReceivedWebhook | undefined): boolean {
  const { headers = {}, body = '' } = webhook ?? {};
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const expected = `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
  return headers['webhook-signature']?.split(' ').includes(expected) === true;
}

describe('an endpoint', () => {
  it('gets only the types that it asks for, without their objects where it wants them thin', async () => {
    const shop = await Merchant.openAt(server);
    const thin = await listen(shop, '--events', 'refund.*,payment.failed', '--payload', 'thin');
    const plain = await listen(shop);
    const paid = await shop.pay();
    const declined = await shop.pay({ card: { holder_name: 'CCREJECT-REFUSED' } });
    const refund = await shop.post(`/api/v1/payments/${paid.body.id}/refunds`, {});
    expect((await arrived(plain, 3)).map(({ event }) => event.type).sort()).toEqual([
      'payment.failed',
      'payment.succeeded',
      'refund.succeeded',
    ]);
    const received = await arrived(thin, 2);
    expect(received.map(({ event }) => [event.type, event.data.object]).sort()).toEqual([
      ['payment.failed', { id: declined.body.id, object: 'payment' }],
      ['refund.succeeded', { id: refund.body.id, object: 'refund' }],
    ]);
    for (const webhook of received) {
      const { event } = webhook;
      expect(signs(thin.secret, webhook)).toBe(true);
      const { data: _data, ...logged } = JSON.parse((await shop.get(`/api/v1/events/${event.id}`)).text);
      expect(event).toMatchObject(logged);
    }
    await webhooks('update', thin.id, '--events', 'all', '--payload', 'full');
    const again = await shop.pay();
    expect((await arrived(thin, 3)).at(-1)?.event.data.object).toEqual(again.body);
  });

  it('is signed with both secrets for the time that it asks for after a roll', async () => {
    const shop = await Merchant.openAt(server);
    const endpoint = await listen(shop, '--secret-overlap', '24h');
    const { secret, former_secret_until: end } = await webhooks<{
      secret: string;
      former_secret_until: string;
    }>('roll', endpoint.id);
    expect(Date.parse(end) - Date.now()).toBeGreaterThan(86_000_000);
    await shop.pay();
    const [first] = await arrived(endpoint);
    expect([signs(secret, first), signs(endpoint.secret, first)]).toEqual([true, true]);
    expect(first?.headers['webhook-signature']?.split(' ')).toHaveLength(2);
    await webhooks('update', endpoint.id, '--secret-overlap', 'off');
    const last = await webhooks<{ secret: string }>('roll', endpoint.id);
    expect(Object.keys(last)).toEqual(['secret']);
    await shop.pay();
    const [, second] = await arrived(endpoint, 2);
    expect([signs(last.secret, second), signs(secret, second)]).toEqual([true, false]);
  });

  it('is changed in the dashboard, where each change is in the audit log', async () => {
    const shop = await Merchant.openAt(server);
    const endpoint = await listen(shop, '--name', 'Orders');
    const owner = await Browser.of(shop, 'owner', server);
    const path = `/accounts/${shop.id}/webhook_endpoints/${endpoint.id}`;
    expect((await owner.get(path)).body).toMatchObject({
      event_types: null,
      payload: 'full',
      secret_overlap_seconds: 0,
      former_secret_until: null,
    });
    const asked = { event_types: ['dispute.*'], payload: 'thin', secret_overlap_seconds: 3600 };
    const changed = await owner.call('PATCH', path, { body: { ...asked, name: null } });
    expect(changed.body).toMatchObject({ ...asked, name: null, additional_events: false });
    const rolled = await owner.post(`${path}/roll`, {});
    expect((await owner.get(path)).body.former_secret_until).toBe(rolled.body.former_secret_until);
    const { body: log } = await owner.get(`/accounts/${shop.id}/audit_log`);
    expect(log.data[1]).toMatchObject({
      action: 'webhook_endpoint.updated',
      before: { event_types: null, payload: 'full', secret_overlap_seconds: 0, name: 'Orders' },
      after: { ...asked, name: null },
    });
    const faults = [
      [{ event_types: ['payment.paid'] }, 'event_types'],
      [{ event_types: [] }, 'event_types'],
      [{ payload: 'slim' }, 'payload'],
      [{ secret_overlap_seconds: 604_801 }, 'secret_overlap_seconds'],
    ] as const;
    for (const [body, param] of faults) {
      const answer = await owner.call('PATCH', path, { body });
      expect([answer.status, answer.body.error.param]).toEqual([422, param]);
    }
  });

  it('is refused with types that there are none, and with an overlap of more than 7 days', async () => {
    const shop = await Merchant.openAt(server);
    const { id } = await listen(shop);
    expect(await refused('update', id, '--events', 'payment.paid')).toBe('invalid_events');
    expect(await refused('update', id, '--secret-overlap', '8d')).toBe('invalid_usage');
  });

  it('is sent nothing once more since a time that would be guessed', async () => {
    const { id } = await listen(await Merchant.openAt(server));
    for (const time of ['20 Nov', '2026', '20261120', '2026-11-20T12:00:00']) {
      expect(await refused('replay', id, '--since', time), time).toBe('invalid_usage');
    }
  });
});
