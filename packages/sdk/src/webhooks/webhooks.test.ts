import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import type { SignatureFault } from './webhook-error.ts';
import { SignatureVerificationError } from './webhook-error.ts';
import * as webhooks from './webhooks.ts';

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const secret = newSecret();
const id = 'evt_0123456789abcdefghijklmn';
const now = new Date('2026-11-20T12:00:00Z');
const event = {
  id,
  object: 'event',
  type: 'payment.succeeded',
  data: { object: { amount: 4990, name: 'Grün' } },
};
const body = JSON.stringify(event);
const headers = webhooks.sign(body, secret, { id, now });

/** Returns the error with which `verify` rejects a delivery. */
function refused(...parameters: Parameters<typeof webhooks.verify>): SignatureVerificationError {
  try {
    webhooks.verify(...parameters);
  } catch (error) {
    if (error instanceof SignatureVerificationError) return error;
    throw error;
  }
  throw new Error('it was accepted');
}

const reasonOf = (rawBody: unknown, given: webhooks.WebhookHeaders = headers, key: unknown = secret) =>
  refused(rawBody as string, given, key as string, { now }).reason;
const without = (name: string) => Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
const at = (seconds: number) => new Date(now.getTime() + seconds * 1000);

describe('a delivery', () => {
  it('is signed as documented', () => {
    const known = `whsec_${Buffer.from('till-signing-secret-for-this-test').toString('base64')}`;
    expect(webhooks.sign('{"id":"evt_1"}', known, { id: 'evt_1', now })).toEqual({
      'webhook-id': 'evt_1',
      'webhook-timestamp': '1795176000',
      'webhook-signature': 'v1,8OckEARRqLIzKb1RQ4Ip37wvug0JaOibmQqUDgbgAJg=',
      'service-signature': 'sha256=291d24e753b155d43766c46043e8deb636aa873bccc65c3b09e32fe7bf11b5e8',
    });
  });

  it('that two secrets signed, while one takes over from the other, is taken with either and no third', () => {
    const former = newSecret();
    const old = webhooks.sign(body, former, { id, now });
    const both = {
      ...headers,
      'webhook-signature': `${headers['webhook-signature']} ${old['webhook-signature']}`,
      'service-signature-previous': old['service-signature'],
    };
    for (const key of [secret, former, [newSecret(), former]]) {
      expect(webhooks.verify(body, both, key, { now })).toEqual(event);
    }
    expect(reasonOf(body, both, newSecret())).toBe('no_match');
    const forged = { ...both, 'service-signature-previous': 'sha256=00' };
    expect(reasonOf(body, forged, former)).toBe('headers_changed');
  });

  it.each([
    ['plain headers', headers],
    [
      'names in other letter case',
      {
        'Webhook-Id': id,
        ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value])),
      },
    ],
    ['lists of values', Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))],
    ['Headers', new Headers(headers)],
    ['Standard Webhooks alone', without('service-signature')],
  ])('is read with %s', (_what, given) => {
    expect(webhooks.verify(body, given, secret, { now })).toEqual(event);
  });

  it('is read from bytes, also where they are part of larger ones', () => {
    expect(webhooks.verify(Buffer.from(body), headers, secret, { now })).toEqual(event);
    // What `await request.arrayBuffer()` returns.
    const { buffer } = new TextEncoder().encode(body);
    expect(webhooks.verify(buffer, headers, secret, { now })).toEqual(event);
    const larger = Buffer.from(`..${body}..`);
    expect(webhooks.verify(larger.subarray(2, -2), headers, secret, { now })).toEqual(event);
  });

  it('is what the library of Standard Webhooks signs and verifies', () => {
    const theirs = new Webhook(secret);
    const signed = { ...without('service-signature'), 'webhook-signature': theirs.sign(id, now, body) };
    expect(webhooks.verify(body, signed, secret, { now })).toEqual(event);
    const fresh = webhooks.sign(body, secret, { id });
    expect(theirs.verify(body, fresh)).toEqual(event);
    expect(webhooks.verify(body, fresh, secret)).toEqual(event);
  });

  it('may carry several signatures, of which one fits', () => {
    const other = webhooks.sign(body, newSecret(), { id, now });
    const both = `v1a,abc ${other['webhook-signature']} ${headers['webhook-signature']}`;
    expect(webhooks.verify(body, { ...headers, 'webhook-signature': both }, secret, { now })).toEqual(event);
  });

  it('may be signed with one of several secrets', () => {
    expect(webhooks.verify(body, headers, [newSecret(), secret], { now })).toEqual(event);
    expect(reasonOf(body, headers, [newSecret(), newSecret()])).toBe('no_match');
  });
});

describe('a delivery that is refused', () => {
  it('for the secret of another endpoint says so', () => {
    const error = refused(body, headers, newSecret(), { now });
    expect(error.reason).toBe('no_match');
    expect(error.message).toMatch(/secret is not that of this endpoint.*rolled/);
    expect(error.message).toContain(id);
    expect(error.webhookId).toBe(id);
    expect(error.name).toBe('SignatureVerificationError');
  });

  it.each([
    ['parsed', event],
    ['missing', undefined],
    ['written again with spaces', JSON.stringify(event, null, 2)],
    ['followed by a line end', `${body}\n`],
    ['cut off', body.slice(0, -1)],
    ['empty', ''],
    ['of another event', body.replace(id, 'evt_other')],
    ['null', 'null'],
  ])('for a body that is %s says that it is not what was sent', (_what, given) => {
    expect(reasonOf(given)).toBe('body_changed');
  });

  it('for one changed value names the body as one of two causes, since both look the same', () => {
    const error = refused(body.replace('4990', '1'), headers, secret, { now });
    expect(error.reason).toBe('no_match');
    expect(error.message).toContain('the body is not byte for byte the one that was sent');
  });

  it('for another id or time of the same body says so', () => {
    const later = String(Math.floor(now.getTime() / 1000) + 1);
    expect(reasonOf(body, { ...headers, 'webhook-timestamp': later })).toBe('headers_changed');
    expect(reasonOf(body, { ...headers, 'webhook-id': 'evt_other' })).toBe('headers_changed');
    const other = webhooks.sign('{}', secret, { id, now });
    const mixed = { ...headers, 'service-signature': other['service-signature'] ?? '' };
    expect(reasonOf(body, mixed)).toBe('headers_changed');
  });

  it('for its age says how old it is', () => {
    const fault = (seconds: number, toleranceSeconds?: number): SignatureFault =>
      refused(body, headers, secret, { now: at(seconds), toleranceSeconds }).reason;
    expect(webhooks.verify(body, headers, secret, { now: at(300) })).toEqual(event);
    expect(webhooks.verify(body, headers, secret, { now: at(-300) })).toEqual(event);
    expect(webhooks.verify(body, headers, secret, { now: at(9000), toleranceSeconds: 9000 })).toEqual(event);
    expect(fault(301)).toBe('too_old');
    expect(fault(-301)).toBe('in_future');
    expect(fault(11, 10)).toBe('too_old');
    expect(refused(body, headers, secret, { now: at(3600) }).message).toContain('3600 s ago');
    expect(refused(body, headers, secret).reason).toMatch(/too_old|in_future/);
  });

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('without %s names it', (name) => {
    expect(reasonOf(body, without(name))).toBe('missing_header');
    expect(refused(body, { ...headers, [name]: '' }, secret, { now }).message).toContain(name);
  });

  it('for an invalid time', () => {
    expect(reasonOf(body, { ...headers, 'webhook-timestamp': '2026-11-20' })).toBe('bad_header');
  });

  it.each([undefined, '', 'sk_test_4eC39HqLyjWDarjtT1zdp7dc', 'whsec_', 'whsec_ä', []])(
    'for %j, which is no secret, without showing it',
    (key) => {
      const error = refused(body, headers, key as string, { now });
      expect(error.reason).toBe('bad_secret');
      expect(error.message).not.toContain('4eC39');
    },
  );

  it('for a signature that only a lenient parser accepts', () => {
    const loose = `${headers['webhook-signature']}`.replace('=', '');
    expect(reasonOf(body, { ...without('service-signature'), 'webhook-signature': loose })).toBe('no_match');
    expect(reasonOf(body, { ...without('service-signature'), 'webhook-signature': 'v1,' })).toBe('no_match');
  });
});
