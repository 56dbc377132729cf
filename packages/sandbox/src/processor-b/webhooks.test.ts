import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../test-database.ts';
import { selfSignedCertificate } from './events/certificate.ts';
import { signedMessage, verifyEvent } from './events/signature.ts';
import { createSigningKey } from './events/signing-key.ts';
import { resolveOrder } from './orders/approval.ts';
import {
  cardSource,
  createTestClient,
  type Delivery,
  order,
  ordersPath,
  referenceOf,
  shopOf,
  type TestClient,
  testPan,
  walletSource,
} from './test-client.ts';
import { savingCard, vaulted } from './vault/test-vault.ts';

let db: TestDatabase;
let client: TestClient;
let shop: ReturnType<typeof shopOf>;

beforeAll(async () => {
  db = await createTestDatabase();
  client = createTestClient(db.pool);
  shop = shopOf(client);
});
afterAll(() => db.drop());

const certificatePath = '/v1/notifications/certs/CERT-SANDBOX';

const deliveriesTo = (account: string) =>
  client.deliveries.filter(({ url }) => url === `https://till.example/processors/b/notifications/${account}`);
const typesTo = (account: string) => deliveriesTo(account).map(({ event }) => event.event_type);

async function readCertificate(own = client): Promise<string> {
  const response = await own.processor.handle({
    method: 'GET',
    url: `https://processor-b.example${certificatePath}`,
    headers: {},
    body: Buffer.alloc(0),
  });
  expect(response).toMatchObject({ status: 200, headers: { 'content-type': 'application/x-pem-file' } });
  return response.body.toString('utf8');
}

const signedOf = (account: string, { headers, text }: Delivery) => ({
  webhookId: `hook${account}`,
  transmissionId: headers['paypal-transmission-id'] ?? '',
  transmissionTime: headers['paypal-transmission-time'] ?? '',
  body: Buffer.from(text),
});

async function isGenuine(delivery: Delivery, account: string, certificate: string): Promise<boolean> {
  const key = { ...(await createSigningKey(client.deps)()), certificate };
  return verifyEvent(signedOf(account, delivery), delivery.headers['paypal-transmission-sig'] ?? '', key);
}

describe('a certificate', () => {
  test('is signed by its own key for as long and for the host as asked', () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = selfSignedCertificate({
      privateKey,
      host: 'signer.example',
      serial: Buffer.from('ff00aa', 'hex'),
      notBefore: new Date('2020-01-01T00:00:00Z'),
      notAfter: new Date('2049-12-31T23:59:59Z'),
    });
    const certificate = new X509Certificate(pem);
    expect(certificate.verify(publicKey)).toBe(true);
    expect(certificate.checkIssued(certificate)).toBe(true);
    expect(certificate.checkHost('signer.example')).toBe('signer.example');
    expect(certificate.checkHost('other.example')).toBeUndefined();
    expect(certificate).toMatchObject({
      subject: 'CN=signer.example',
      issuer: 'CN=signer.example',
      serialNumber: '7F00AA',
      validFrom: 'Jan  1 00:00:00 2020 GMT',
      validTo: 'Dec 31 23:59:59 2049 GMT',
    });
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 });
    expect(certificate.verify(other.publicKey)).toBe(false);
  });

  test('is the same in every process, also where two make one at once', async () => {
    const own = await createTestDatabase();
    try {
      const clients = [createTestClient(own.pool), createTestClient(own.pool)];
      const [first, second] = await Promise.all(clients.map(readCertificate));
      expect(second).toBe(first);
      expect(await readCertificate(createTestClient(own.pool))).toBe(first);
    } finally {
      await own.drop();
    }
  });
});

describe('the signature of an event', () => {
  test('covers its ids and a checksum of its bytes', () => {
    const body = Buffer.from('{"id":"WH-TEST-1","event_type":"PAYMENT.CAPTURE.COMPLETED"}');
    const message = signedMessage({
      transmissionId: 'id',
      transmissionTime: 'time',
      webhookId: 'hook',
      body,
    });
    expect(message).toBe('id|time|hook|2077941293');
  });

  test('is verified by the certificate and by the upstream, unless it is flawed', async () => {
    const certificate = await readCertificate();
    await shop.create('signed', order(cardSource()));
    await shop.create('forged', order(cardSource(), { description: 'SIM-WEBHOOK-BADSIG' }));
    for (const [account, genuine] of [
      ['signed', true],
      ['forged', false],
    ] as const) {
      await client.sendDue(account, 1_000);
      const [delivery] = deliveriesTo(account);
      if (delivery === undefined) throw new Error('nothing was delivered');
      expect(delivery.headers).toMatchObject({
        'paypal-auth-algo': 'SHA256withRSA',
        'paypal-cert-url': `https://processor-b.sandbox.invalid${certificatePath}`,
      });
      expect(await isGenuine(delivery, account, certificate)).toBe(genuine);
      const request = {
        transmission_id: delivery.headers['paypal-transmission-id'],
        transmission_time: delivery.headers['paypal-transmission-time'],
        transmission_sig: delivery.headers['paypal-transmission-sig'],
        cert_url: delivery.headers['paypal-cert-url'],
        auth_algo: delivery.headers['paypal-auth-algo'],
        webhook_id: `hook${account}`,
        webhook_event: delivery.event,
      };
      const verify = (change: object = {}) =>
        client.post(account, '/v1/notifications/verify-webhook-signature', { ...request, ...change });
      expect(await verify()).toMatchObject({
        status: 200,
        json: { verification_status: genuine ? 'SUCCESS' : 'FAILURE' },
      });
      for (const change of [
        { webhook_id: 'another' },
        { auth_algo: 'MD5' },
        { cert_url: 'https://a.example' },
      ]) {
        expect((await verify(change)).json).toEqual({ verification_status: 'FAILURE' });
      }
      expect((await verify({ cert_url: undefined })).status).toBe(400);
    }
  });
});

describe('events', () => {
  test('report a card payment a second later, with every id of it', async () => {
    const body = order(cardSource({ name: `Ada ${testPan}` }));
    const answer = await shop.create('card', body);
    await client.sendDue('card', 999);
    expect(deliveriesTo('card')).toEqual([]);
    await client.sendDue('card', 1);
    expect(deliveriesTo('card')).toHaveLength(1);
    const [{ event, text } = { event: null, text: '' }] = deliveriesTo('card');
    expect(event).toMatchObject({
      id: expect.stringMatching(/^WH-[A-Z0-9]{17}-[A-Z0-9]{17}$/),
      event_version: '1.0',
      event_type: 'PAYMENT.CAPTURE.COMPLETED',
      resource_type: 'capture',
      resource_version: '2.0',
      resource: {
        status: 'COMPLETED',
        custom_id: referenceOf(body),
        invoice_id: referenceOf(body),
        amount: { currency_code: 'EUR', value: '19.99' },
        supplementary_data: {
          related_ids: {
            order_id: answer.json.id,
            capture_id: answer.json.purchase_units[0].payments.captures[0].id,
          },
        },
      },
    });
    expect(text).not.toContain(testPan);
    await client.sendDue('card', 60_000);
    expect(deliveriesTo('card')).toHaveLength(1);
  });

  test('report a decline, an approval, and what was saved and removed', async () => {
    await shop.create('notified', order(cardSource({ name: 'DECLINED' })));
    await client.sendDue('notified', 1_000);
    const { json } = await shop.create('notified', order(walletSource));
    await resolveOrder(client.deps, json.id, 'approved');
    await client.sendDue('notified', 1_000);
    await shop.capture('notified', json.id);
    await client.sendDue('notified', 1_000);
    const token = vaulted(await shop.create('notified', order(savingCard({ name: 'DECLINED' }))));
    expect(token).toBeUndefined();
    const kept = await shop.create('notified', order(savingCard()));
    await client.sendDue('notified', 1_000);
    await client.remove('notified', `/v3/vault/payment-tokens/${vaulted(kept).id}`);
    await client.sendDue('notified', 1_000);
    expect(typesTo('notified').toSorted()).toEqual([
      'CHECKOUT.ORDER.APPROVED',
      'PAYMENT.CAPTURE.COMPLETED',
      'PAYMENT.CAPTURE.COMPLETED',
      'PAYMENT.CAPTURE.DECLINED',
      'PAYMENT.CAPTURE.DECLINED',
      'VAULT.PAYMENT-TOKEN.CREATED',
      'VAULT.PAYMENT-TOKEN.DELETED',
    ]);
    const created = deliveriesTo('notified').find(({ event }) => event.event_type.endsWith('TOKEN.CREATED'));
    expect(created?.event.resource).toMatchObject({
      id: vaulted(kept).id,
      customer: vaulted(kept).customer,
      metadata: { order_id: kept.json.id },
    });
    expect(deliveriesTo('notified').at(-1)?.event.resource).toMatchObject({ id: vaulted(kept).id });
  });

  test('report a hold, its capture and its end', async () => {
    const hold = async () => {
      const { json } = await shop.create('hold', order(cardSource(), {}, 'AUTHORIZE'));
      return `/v2/payments/authorizations/${json.purchase_units[0].payments.authorizations[0].id}`;
    };
    const [first, second] = [await hold(), await hold()];
    await client.sendDue('hold', 1_000);
    await client.post('hold', `${first}/capture`);
    await client.sendDue('hold', 1_000);
    await client.post('hold', `${second}/void`);
    await client.sendDue('hold', 1_000);
    expect(typesTo('hold')).toEqual([
      'PAYMENT.AUTHORIZATION.CREATED',
      'PAYMENT.AUTHORIZATION.CREATED',
      'PAYMENT.CAPTURE.COMPLETED',
      'PAYMENT.AUTHORIZATION.VOIDED',
    ]);
    expect(new Set(deliveriesTo('hold').map(({ event }) => event.id)).size).toBe(4);
  });

  test('are notified charges whose answer never came', async () => {
    const body = order(cardSource({ name: 'SIM-500-DONE' }));
    expect((await shop.create('lost', body)).status).toBe(500);
    await client.sendDue('lost', 1_000);
    expect(deliveriesTo('lost').map(({ event }) => event.resource.custom_id)).toEqual([referenceOf(body)]);
  });

  test('may come before the answer, or twice', async () => {
    const posted = client.post('first', ordersPath, order(cardSource({ name: 'SIM-WEBHOOK-FIRST' })), 'key');
    const before = posted.then(() => typesTo('first').length);
    expect(await before).toBe(1);
    await client.sendDue('first', 5_000);
    expect(typesTo('first')).toHaveLength(1);
    await shop.create('twice', order(cardSource(), { description: 'SIM-WEBHOOK-DUP' }));
    await client.sendDue('twice', 1_000);
    expect(new Set(deliveriesTo('twice').map(({ event }) => event.id)).size).toBe(1);
    expect(deliveriesTo('twice')).toHaveLength(2);
  });
});
