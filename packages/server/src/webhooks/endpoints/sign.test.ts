import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { newSecret, signatureHeaders } from './sign.ts';

const message = {
  id: 'evt_mi93qwe0a1b2c3d4e5f6g7h8',
  timestamp: 1_795_176_000,
  body: '{"id":"evt_mi93qwe0a1b2c3d4e5f6g7h8","type":"payment.succeeded","note":"Grün – 49,90 €"}',
};
const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

describe('a new secret', () => {
  it('is whsec_ and 32 bytes in base64, another one each time', () => {
    const secrets = Array.from({ length: 100 }, () => newSecret(randomBytes));
    for (const one of secrets) {
      expect(one).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(Buffer.from(one.slice(6), 'base64')).toHaveLength(32);
    }
    expect(new Set(secrets).size).toBe(100);
  });

  it('takes its bytes from the given source, and no more of them than it needs', () => {
    const bytes = Buffer.from(Array.from({ length: 64 }, (_none, n) => n));
    expect(newSecret(() => bytes)).toBe(secret);
  });
});

describe('the signatures', () => {
  it('are these, for this message', () => {
    expect(signatureHeaders(secret, message)).toEqual({
      'webhook-id': message.id,
      'webhook-timestamp': '1795176000',
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
      'service-signature': expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
    });
  });

  it('are accepted by the library of Standard Webhooks, and only for this body, time and secret', () => {
    const now = Math.floor(Date.now() / 1000);
    const headers = signatureHeaders(secret, { ...message, timestamp: now });
    const verify = (key: string, body: string, changed: object = {}) =>
      new Webhook(key).verify(body, { ...headers, ...changed });
    expect(verify(secret, message.body)).toEqual(JSON.parse(message.body));
    expect(() => verify(newSecret(randomBytes), message.body)).toThrow();
    expect(() => verify(secret, `${message.body} `)).toThrow();
    expect(() => verify(secret, message.body, { 'webhook-timestamp': String(now + 1) })).toThrow();
    expect(() => verify(secret, message.body, { 'webhook-id': 'evt_other' })).toThrow();
  });

  it('of two secrets are taken by the library with either, and the contract’s own header stays that of the new one', () => {
    const former = newSecret(randomBytes);
    const signed = { ...message, timestamp: Math.floor(Date.now() / 1000) };
    const headers = signatureHeaders(secret, signed, former);
    for (const key of [secret, former]) {
      expect(new Webhook(key).verify(message.body, headers)).toEqual(JSON.parse(message.body));
    }
    expect(() => new Webhook(newSecret(randomBytes)).verify(message.body, headers)).toThrow();
    expect(headers['service-signature']).toBe(signatureHeaders(secret, signed)['service-signature']);
    expect(headers['service-signature-previous']).toBe(signatureHeaders(former, signed)['service-signature']);
  });

  it('are those that the library makes', () => {
    const date = new Date(message.timestamp * 1000);
    expect(signatureHeaders(secret, message)['webhook-signature']).toBe(
      new Webhook(secret).sign(message.id, date, message.body),
    );
  });

  const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
  it.runIf(hasOpenssl)('are those that openssl makes', () => {
    const mac = (key: string, text: string) =>
      execFileSync('openssl', ['dgst', '-sha256', '-mac', 'HMAC', '-macopt', `hexkey:${key}`, '-binary'], {
        input: text,
      });
    const decoded = Buffer.from(secret.slice(6), 'base64').toString('hex');
    const shown = Buffer.from(secret).toString('hex');
    expect(signatureHeaders(secret, message)).toMatchObject({
      'webhook-signature': `v1,${mac(decoded, `${message.id}.${message.timestamp}.${message.body}`).toString('base64')}`,
      'service-signature': `sha256=${mac(shown, message.body).toString('hex')}`,
    });
  });
});
