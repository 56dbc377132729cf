import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../../support/clean-up.ts';
import { migratedDatabase } from '../../support/fresh-database.ts';
import { cardPayment, Merchant } from '../../support/merchant.ts';
import { commandJson, type RunningServer, startServer, temporaryFolder } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { WebhookReceiver } from '../webhooks/webhooks-receiver.ts';
import { type Sdk, SdkProject } from './sdk-project.ts';

const cleanUp = new CleanUp();
let server: RunningServer;
let receiver: WebhookReceiver;
let sdk: Sdk;

beforeAll(async () => {
  sdk = await (await SdkProject.create(cleanUp)).load();
  receiver = await WebhookReceiver.open();
  cleanUp.add(() => receiver.close());
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  server = await startServer({
    DATABASE_URL: await migratedDatabase(cleanUp),
    TILL_DATA_DIR: folder.path,
    TILL_WEBHOOK_ALLOW_CIDRS: '127.0.0.1',
  });
  cleanUp.add(() => server.stop());
});
afterAll(cleanUp.run);

const webhooks = <T>(...parameters: string[]): Promise<T> =>
  commandJson<T>(server.environment, ['webhooks', ...parameters]);

/** Creates an account with an endpoint, and returns what the endpoint received for one payment. */
async function deliver(path: string) {
  const shop = await Merchant.openAt(server);
  const till = new sdk.Till({ apiKey: shop.key, baseUrl: server.baseUrl });
  const endpoint = await webhooks<{ id: string; secret: string }>(
    'create',
    '--account',
    shop.id,
    '--url',
    receiver.url(path),
  );
  const pay = async () => {
    const payment = await till.payments.create(cardPayment({ reference: 'Grün & Söhne' }));
    const delivery = await until('the webhook', () =>
      receiver.at(path).find(({ event }) => event.data.object.id === payment.id),
    );
    return { payment, delivery };
  };
  return { till, endpoint, pay };
}

const refusal = (...parameters: unknown[]): Sdk => {
  try {
    sdk.webhooks.verify(...parameters);
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('a delivery of the server', () => {
  it('is verified and read as the event that the log has', async () => {
    const { till, endpoint, pay } = await deliver('/verified');
    const { payment, delivery } = await pay();
    const event = sdk.webhooks.verify(delivery.body, delivery.headers, endpoint.secret);
    expect(event.data.object).toEqual(payment);
    expect(event).toEqual(await till.events.retrieve(event.id));
    const bytes = Buffer.from(delivery.body);
    expect(sdk.webhooks.verify(bytes, new Headers(delivery.headers), [endpoint.secret])).toEqual(event);
  });

  it('is refused with the reason: the secret, the body, the time', async () => {
    const { endpoint, pay } = await deliver('/refused');
    const { delivery } = await pay();
    const { body, headers, event } = delivery;
    const other = await deliver('/other');
    const { SignatureVerificationError } = sdk;
    expect(refusal(body, headers, other.endpoint.secret)).toBeInstanceOf(SignatureVerificationError);
    expect(refusal(body, headers, other.endpoint.secret)).toMatchObject({
      reason: 'no_match',
      webhookId: event.id,
    });
    expect(refusal(event, headers, endpoint.secret).reason).toBe('body_changed');
    expect(refusal(JSON.stringify(event, null, 1), headers, endpoint.secret).reason).toBe('body_changed');
    expect(refusal(body.slice(0, -1), headers, endpoint.secret).reason).toBe('body_changed');
    const later = new Date(Number(headers['webhook-timestamp']) * 1000 + 301_000);
    expect(refusal(body, headers, endpoint.secret, { now: later }).reason).toBe('too_old');
    const options = { now: later, toleranceSeconds: 600 };
    expect(sdk.webhooks.verify(body, headers, endpoint.secret, options).id).toBe(event.id);
  });

  it('is accepted from before and after a roll while both secrets are given', async () => {
    const { endpoint, pay } = await deliver('/rolled');
    const before = (await pay()).delivery;
    const { secret } = await webhooks<{ secret: string }>('roll', endpoint.id);
    const after = (await pay()).delivery;
    expect(refusal(after.body, after.headers, endpoint.secret).message).toContain('before it was rolled');
    for (const { body, headers, event } of [before, after]) {
      expect(sdk.webhooks.verify(body, headers, [secret, endpoint.secret]).id).toBe(event.id);
    }
  });

  it('of a test event is read too', async () => {
    const { endpoint } = await deliver('/test');
    await webhooks('test', endpoint.id);
    const delivery = await until('the test event', () => receiver.at('/test')[0]);
    const event = sdk.webhooks.verify(delivery.body, delivery.headers, endpoint.secret);
    expect(event).toMatchObject({ type: 'endpoint.test', data: { object: { id: endpoint.id } } });
  });
});
