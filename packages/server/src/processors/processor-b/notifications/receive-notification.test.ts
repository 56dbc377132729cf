import { type KeyObject, sign } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { ProcessorConnection } from '../../port/port.ts';
import { isNoAnswer } from '../../upstream/no-answer.ts';
import { reply, type Step, scriptedTransport } from '../../wire/test-transport.ts';
import { TransportError } from '../../wire/transport.ts';
import { connection as bare, run } from '../test-kit.ts';
import { openSession } from '../wire/session.ts';
import { tokenCache } from '../wire/token-cache.ts';
import { certificateCache } from './certificates.ts';
import { receiveNotification, verificationBudgets } from './receive-notification.ts';
import { makeCertificate } from './test-certificate.ts';

const certificateUrl = 'https://processor-b.sandbox.invalid/v1/notifications/certs/CERT-SANDBOX';
const ownUrl = 'https://api.paypal.com/v1/notifications/certs/CERT-1';
const webhookId = '1JE4291016473214C';
const connectionWith = (credentials: Record<string, string>): ProcessorConnection => ({
  ...bare,
  credentials: { ...bare.credentials, ...credentials },
});
const pinned = connectionWith({ webhookId, certificateUrl });
const unpinned = connectionWith({ webhookId });

const signer = makeCertificate({ name: 'processor-b.sandbox.invalid' });
const published = reply(200, signer.pem);
const event = Buffer.from('{"id":"WH-TEST-1","event_type":"PAYMENT.CAPTURE.COMPLETED"}');
const transmission = { id: '69cd13f0-d67a-11e5-baa3-778b53f4ae55', time: '2026-11-20T12:00:00Z' };

interface Delivery {
  body?: Buffer;
  signedBody?: Buffer;
  signedFor?: string;
  key?: KeyObject;
  url?: string;
  headers?: Record<string, string | undefined>;
}

function deliveryOf({ body = event, key = signer.privateKey, url = certificateUrl, ...rest }: Delivery) {
  const signed = [transmission.id, transmission.time, rest.signedFor ?? webhookId];
  const message = [...signed, crc32(rest.signedBody ?? body)].join('|');
  const headers: Record<string, string | undefined> = {
    'paypal-transmission-id': transmission.id,
    'paypal-transmission-time': transmission.time,
    'paypal-transmission-sig': sign('sha256', Buffer.from(message), key).toString('base64'),
    'paypal-cert-url': url,
    'paypal-auth-algo': 'SHA256withRSA',
    ...rest.headers,
  };
  const present = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return { headers: Object.fromEntries(present), body };
}

const receive = (steps: readonly Step[], delivery: Delivery = {}, connection = pinned) =>
  run(steps, (port) => port.receiveNotification(connection, deliveryOf(delivery)));

describe('receiveNotification, with a pinned certificate', () => {
  it('the checksum is that of the documentation’s example', () => {
    expect(crc32(event)).toBe(2077941293);
  });

  it('accepts a signature of the certificate’s key, and requests only the certificate', async () => {
    const { outcome, sent } = await receive([published]);
    expect(outcome).toEqual({
      kind: 'accepted',
      notifications: [
        {
          id: 'WH-TEST-1',
          type: 'PAYMENT.CAPTURE.COMPLETED',
          body: { id: 'WH-TEST-1', event_type: 'PAYMENT.CAPTURE.COMPLETED' },
        },
      ],
    });
    expect(sent.map(({ method, url }) => `${method} ${url}`)).toEqual([`GET ${certificateUrl}`]);
  });

  it('fetches the certificate once for many deliveries', async () => {
    const { sent } = await run([published], async (port) => {
      for (let count = 0; count < 3; count += 1) {
        const intake = await port.receiveNotification(pinned, deliveryOf({}));
        expect(intake.kind).toBe('accepted');
      }
    });
    expect(sent).toHaveLength(1);
  });

  it.each<[string, Delivery]>([
    ['another body', { signedBody: Buffer.from('{}') }],
    ['another webhook', { signedFor: '8PT597110X687430L' }],
    ['another key', { key: makeCertificate({ name: 'other' }).privateKey }],
    ['another time', { headers: { 'paypal-transmission-time': '2026-11-20T12:00:01Z' } }],
    ['another transmission', { headers: { 'paypal-transmission-id': 'other' } }],
    ['no Base64', { headers: { 'paypal-transmission-sig': '!!!' } }],
  ])('refused: a signature of %s', async (_, delivery) => {
    expect((await receive([published], delivery)).outcome).toEqual({ kind: 'refused', reason: 'signature' });
  });

  it.each<[string, Delivery]>([
    ['without the id', { headers: { 'paypal-transmission-id': undefined } }],
    ['without the time', { headers: { 'paypal-transmission-time': undefined } }],
    ['without the signature', { headers: { 'paypal-transmission-sig': '' } }],
    ['without the address', { headers: { 'paypal-cert-url': undefined } }],
    ['without the algorithm', { headers: { 'paypal-auth-algo': undefined } }],
    ['by another algorithm', { headers: { 'paypal-auth-algo': 'none' } }],
    ['with an address that is too long', { url: `${ownUrl}${'1'.repeat(500)}` }],
  ])('refused: a delivery %s, without a request', async (_, delivery) => {
    const { outcome, sent } = await receive([], delivery);
    expect(outcome).toEqual({ kind: 'refused', reason: 'signature headers' });
    expect(sent).toEqual([]);
  });

  it.each(['nonsense', '[]', '{}', '{"id":"WH-1"}', `{"id":"${'1'.repeat(256)}","event_type":"X"}`])(
    'refused: a body that is no event: %s',
    async (text) => {
      const { outcome, sent } = await receive([], { body: Buffer.from(text) });
      expect(outcome).toEqual({ kind: 'refused', reason: 'malformed' });
      expect(sent).toEqual([]);
    },
  );

  it.each([ownUrl, 'https://evil.example/cert'])('requests no other certificate: %s', async (url) => {
    const { outcome, sent } = await receive([], { url });
    expect(outcome).toEqual({ kind: 'refused', reason: 'certificate address' });
    expect(sent).toEqual([]);
  });

  it.each([
    makeCertificate({ name: 'old', validTo: '2026-11-01' }),
    makeCertificate({ name: 'young', validFrom: '2026-12-01' }),
  ])('%# refused: an expired certificate', async ({ pem, privateKey }) => {
    const { outcome } = await receive([reply(200, pem)], { key: privateKey });
    expect(outcome).toEqual({ kind: 'refused', reason: 'certificate out of date' });
  });

  it.each([reply(404), reply(200, 'nonsense'), new TransportError('timeout')])(
    '%# not_executed where there is no certificate now',
    async (step) => {
      const { outcome } = await receive([step]);
      expect(outcome.kind).toBe('not_executed');
    },
  );

  it('not_executed without a webhook id', async () => {
    const { outcome } = await receive([], {}, connectionWith({ certificateUrl }));
    expect(outcome).toMatchObject({ kind: 'not_executed', reason: 'credentials missing' });
  });
});

describe('receiveNotification, without a pinned certificate', () => {
  const verdict = (verification_status: string) => reply(200, { verification_status });
  const spaced = Buffer.from('{ "id": "WH-1", "event_type": "X", "n": 1.50, "s": "\\u00e9" }');

  it('asks the upstream about the exact bytes where no authority vouches for the certificate', async () => {
    const { outcome, sent, calls } = await receive(
      [published, verdict('SUCCESS')],
      { url: ownUrl, body: spaced },
      unpinned,
    );
    expect(outcome).toMatchObject({ kind: 'accepted', notifications: [{ id: 'WH-1', type: 'X' }] });
    expect(calls[1]).toBe('POST /v1/notifications/verify-webhook-signature');
    const question = sent[1]?.body.toString() ?? '';
    expect(question.endsWith(`,"webhook_event":${spaced.toString()}}`)).toBe(true);
    expect(JSON.parse(question)).toMatchObject({
      auth_algo: 'SHA256withRSA',
      cert_url: ownUrl,
      transmission_id: transmission.id,
      transmission_time: transmission.time,
      transmission_sig: expect.any(String),
      webhook_id: webhookId,
    });
    expect(sent[1]?.headers).toMatchObject({
      authorization: 'Bearer token',
      'content-type': 'application/json',
    });
  });

  it('does not ask where a known authority vouches for the certificate', async () => {
    const root = makeCertificate({ name: 'Root', isAuthority: true });
    const leaf = makeCertificate({ name: 'messageverificationcerts.paypal.com', issuer: root });
    const { transport, sent } = scriptedTransport([reply(200, leaf.pem)]);
    const now = () => new Date('2026-11-20T12:00:00Z');
    const certificates = certificateCache({ transport, now, roots: [root.pem] });
    const deps = { transport, delay: async () => {} };
    const session = openSession(deps, tokenCache({ transport, now }), unpinned, () => {});
    if (session === undefined) throw new Error('no session');
    const take = (delivery: Delivery) =>
      receiveNotification(
        { certificates, budgets: verificationBudgets({ now }), now },
        session,
        deliveryOf({ url: ownUrl, ...delivery }),
      );
    expect(await take({ key: leaf.privateKey })).toMatchObject({ kind: 'accepted' });
    expect(await take({ key: signer.privateKey })).toEqual({ kind: 'refused', reason: 'signature' });
    expect(sent.map(({ url }) => url)).toEqual([ownUrl]);
  });

  it.each([new TransportError('timeout'), reply(404), reply(200, 'nonsense')])(
    '%# verifies nothing where the certificate cannot be loaded, and asks with no credentials',
    async (step) => {
      const { outcome, sent } = await receive([step, verdict('SUCCESS')], { url: ownUrl }, unpinned);
      expect(outcome.kind).toBe('not_executed');
      expect(sent.map(({ method, url }) => `${method} ${url}`)).toEqual([`GET ${ownUrl}`]);
    },
  );

  it('refuses a wrong signature without asking the upstream', async () => {
    const key = makeCertificate({ name: 'other' }).privateKey;
    const { outcome, sent } = await receive([published, verdict('SUCCESS')], { url: ownUrl, key }, unpinned);
    expect(outcome).toEqual({ kind: 'refused', reason: 'signature' });
    expect(sent).toHaveLength(1);
  });

  it('any number of forged deliveries that name new certificates cost a few requests', async () => {
    const { outcome, sent } = await run([reply(404)], async (port) => {
      const kinds: string[] = [];
      for (let number = 0; number < 100; number += 1) {
        const intake = await port.receiveNotification(unpinned, deliveryOf({ url: `${ownUrl}${number}` }));
        kinds.push(intake.kind);
      }
      return kinds;
    });
    expect(new Set(outcome)).toEqual(new Set(['not_executed']));
    expect(sent.length).toBeLessThanOrEqual(6);
    expect(sent.every(({ headers }) => headers.authorization === undefined)).toBe(true);
  });

  it('forged certificate addresses cost no request', async () => {
    const { sent } = await run([published], async (port) => {
      for (let number = 0; number < 100; number += 1) {
        const url = `https://shop${number}.paypal.com/v1/notifications/certs/CERT-1`;
        await port.receiveNotification(unpinned, deliveryOf({ url }));
      }
    });
    expect(sent).toEqual([]);
  });

  it('asks the upstream a few times a minute at most, per account', async () => {
    const { outcome, calls } = await run([published, verdict('SUCCESS')], async (port) => {
      const kinds = async (connection: ProcessorConnection) => {
        const intakes = Array.from({ length: 20 }, () =>
          port.receiveNotification(connection, deliveryOf({ url: ownUrl })),
        );
        return (await Promise.all(intakes)).map(({ kind }) => kind);
      };
      return [await kinds(unpinned), await kinds({ ...unpinned, accountId: 'acct_2' })];
    });
    for (const kinds of outcome) {
      expect(kinds.filter((kind) => kind === 'accepted')).toHaveLength(6);
      expect(kinds.filter((kind) => kind === 'not_executed')).toHaveLength(14);
    }
    expect(calls.filter((call) => call.includes('verify-webhook-signature'))).toHaveLength(12);
  });

  it('does not send a large event to the upstream', async () => {
    const body = Buffer.from(JSON.stringify({ id: 'WH-1', event_type: 'X', text: 'x'.repeat(64 * 1024) }));
    const { outcome, sent } = await receive([published, verdict('SUCCESS')], { url: ownUrl, body }, unpinned);
    expect(outcome.kind).toBe('not_executed');
    expect(sent).toHaveLength(1);
  });

  it('refuses what the upstream does not confirm', async () => {
    const { outcome } = await receive([published, verdict('FAILURE')], { url: ownUrl }, unpinned);
    expect(outcome).toEqual({ kind: 'refused', reason: 'signature' });
  });

  it.each([verdict('MAYBE'), reply(403), reply(500), new TransportError('timeout')])(
    '%# not_executed where the upstream gives no definite answer',
    async (step) => {
      const { outcome } = await receive([published, step], { url: ownUrl }, unpinned);
      expect(outcome.kind).toBe('not_executed');
      expect(isNoAnswer(outcome)).toBe(true);
    },
  );

  it('refuses an address that is not the upstream, whatever the signature', async () => {
    const { outcome, sent } = await receive([], { url: 'https://api.paypal.com.example/c' }, unpinned);
    expect(outcome).toEqual({ kind: 'refused', reason: 'certificate address' });
    expect(sent).toEqual([]);
  });
});
