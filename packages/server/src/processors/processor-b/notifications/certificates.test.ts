import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isNoAnswer } from '../../upstream/no-answer.ts';
import { reply, type Step, scriptedTransport } from '../../wire/test-transport.ts';
import { TransportError } from '../../wire/transport.ts';
import { isCertificateAddress } from './certificate-address.ts';
import { certificateCache, certificatesIn, leadsToRoot } from './certificates.ts';
import { ellipticKeys, makeCertificate } from './test-certificate.ts';

const root = makeCertificate({ name: 'Root', isAuthority: true });
const authority = makeCertificate({ name: 'Authority', issuer: root, isAuthority: true });
const name = 'messageverificationcerts.paypal.com';
const leaf = makeCertificate({ name, issuer: authority });
const now = new Date('2026-11-20T12:00:00Z');
const always = () => true;
const parsed = ({ pem }: { readonly pem: string }) => new X509Certificate(pem);

describe('isCertificateAddress', () => {
  it.each([
    'https://api.paypal.com/v1/notifications/certs/CERT-360caa42',
    'https://api.sandbox.paypal.com/v1/notifications/certs/CERT-360caa42',
    'https://api-m.paypal.com/v1/notifications/certs/CERT-360caa42',
  ])('accepts %s', (address) => {
    expect(isCertificateAddress(address, undefined)).toBe(true);
  });

  it.each([
    'http://api.paypal.com/v1/notifications/certs/1',
    'https://paypal.com/v1/notifications/certs/1',
    'https://api.paypal.com.example/v1/notifications/certs/CERT-1',
    'https://shop.paypal.com/v1/notifications/certs/CERT-1',
    'https://api.paypal.com/v1/notifications/certs/',
    'https://api.paypal.com/v1/notifications/certs/../CERT-1',
    'https://api.paypal.com/v1/notifications/certs/a/b',
    'https://apipaypal.com/v1/notifications/certs/1',
    'https://api.paypal.com@evil.example/v1/notifications/certs/1',
    'https://user:secret@api.paypal.com/v1/notifications/certs/1',
    'https://api.paypal.com:8443/v1/notifications/certs/1',
    'https://api.paypal.com:443/v1/notifications/certs/1',
    'https://api.paypal.com/v1/notifications/certs/1?x=1',
    'https://api.paypal.com/v1/notifications/certs/1#x',
    'https://API.paypal.com/v1/notifications/certs/1',
    'https://api.paypal.com\\@evil.example/v1/notifications/certs/1',
    'https://api.paypal.com./v1/notifications/certs/1',
    ' https://api.paypal.com/v1/notifications/certs/1',
    'https://169.254.169.254/v1/notifications/certs/1',
    'file:///etc/passwd',
    'certs/1',
    '',
  ])('rejects %j', (address) => {
    expect(isCertificateAddress(address, undefined)).toBe(false);
  });

  it('accepts only the pinned address where one is pinned', () => {
    const pinned = 'https://processor-b.sandbox.invalid/v1/notifications/certs/CERT-SANDBOX';
    expect(isCertificateAddress(pinned, pinned)).toBe(true);
    expect(isCertificateAddress(`${pinned}2`, pinned)).toBe(false);
    expect(isCertificateAddress('https://api.paypal.com/v1/notifications/certs/1', pinned)).toBe(false);
  });
});

describe('certificateCache', () => {
  const address = 'https://api.paypal.com/v1/notifications/certs/CERT-1';
  const cache = (...steps: Step[]) => {
    const { transport, sent } = scriptedTransport(steps);
    let time = now;
    return {
      sent,
      certificates: certificateCache({ transport, now: () => time }),
      setTime: (text: string) => {
        time = new Date(text);
      },
    };
  };
  const published = reply(200, leaf.pem);

  it('fetches a certificate once, without credentials', async () => {
    const { certificates, sent } = cache(published);
    const [one, other] = await Promise.all([
      certificates.get(address, always),
      certificates.get(address, always),
    ]);
    expect(one).toBe(other);
    expect(await certificates.get(address, always)).toBe(one);
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ method: 'GET', url: address });
    expect(sent[0]?.headers).not.toHaveProperty('authorization');
    expect(one).toMatchObject({ publicKey: parsed(leaf).publicKey });
  });

  it('fetches an expired one again', async () => {
    const { certificates, sent, setTime } = cache(published);
    await certificates.get(address, always);
    setTime('2027-06-01T00:00:00Z');
    const late = await certificates.get(address, always);
    expect(sent).toHaveLength(2);
    expect(isNoAnswer(late) ? undefined : late.isValidAt(new Date('2027-06-01T00:00:00Z'))).toBe(false);
    expect(isNoAnswer(late) ? undefined : late.isValidAt(now)).toBe(true);
  });

  it('is bounded', async () => {
    const { certificates, sent } = cache(published);
    for (let number = 0; number <= 20; number += 1) {
      await certificates.get(`${address}${number}`, always);
    }
    await certificates.get(`${address}20`, always);
    expect(sent).toHaveLength(21);
    await certificates.get(`${address}0`, always);
    expect(sent).toHaveLength(22);
  });

  it('does not trust an unknown authority', async () => {
    const { certificates } = cache(reply(200, leaf.pem + authority.pem + root.pem));
    expect(await certificates.get(address, always)).toMatchObject({ isTrusted: false });
  });

  it.each([
    [name, true],
    ['messageverificationcerts.sandbox.paypal.com', true],
    ['messageverificationcerts.paypal.com.example', false],
    ['notpaypal.com', false],
  ])('trusts certificates of the upstream only: %s, %s', async (subject, isTrusted) => {
    const { transport } = scriptedTransport([
      reply(200, makeCertificate({ name: subject, issuer: authority }).pem + authority.pem),
    ]);
    const certificates = certificateCache({ transport, now: () => now, roots: [root.pem] });
    expect(await certificates.get(address, always)).toMatchObject({ isTrusted });
  });

  it.each([
    [reply(404), 'provider_unavailable', 'certificate status 404'],
    [reply(302), 'provider_unavailable', 'certificate status 302'],
    [new TransportError('timeout'), 'provider_unavailable', 'certificate timeout'],
    [reply(200, '<html>'), 'provider_error', 'certificate malformed'],
    [
      reply(200, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'),
      'provider_error',
      'certificate malformed',
    ],
    [reply(200, leaf.pem + ' '.repeat(70_000)), 'provider_error', 'certificate malformed'],
    [
      reply(200, makeCertificate({ name, issuer: root, keys: ellipticKeys() }).pem),
      'provider_error',
      'certificate malformed',
    ],
  ])('%# reports that there is none, and retries after a minute', async (step, answer, reason) => {
    const { certificates, sent, setTime } = cache(step);
    for (let count = 0; count < 3; count += 1) {
      expect(await certificates.get(address, always)).toEqual({ kind: 'not_executed', answer, reason });
    }
    expect(sent).toHaveLength(1);
    setTime('2026-11-20T12:01:00Z');
    await certificates.get(address, always);
    expect(sent).toHaveLength(2);
  });

  it('fetches no disallowed address; a cached certificate needs no permission', async () => {
    const { certificates, sent } = cache(published);
    const never = () => false;
    expect(await certificates.get(address, never)).toMatchObject({ answer: 'provider_unavailable' });
    expect(sent).toEqual([]);
    await certificates.get(address, always);
    expect(await certificates.get(address, never)).toMatchObject({ publicKey: parsed(leaf).publicKey });
  });
});

describe('chain to a root', () => {
  const roots = [parsed(root)];

  it('accepts the intermediates in any order', () => {
    expect(leadsToRoot(parsed(leaf), [parsed(authority)], roots, now)).toBe(true);
    const others = certificatesIn(root.pem + leaf.pem + authority.pem);
    expect(others).toHaveLength(3);
    expect(leadsToRoot(parsed(leaf), others, roots, now)).toBe(true);
    expect(leadsToRoot(parsed(makeCertificate({ name, issuer: root })), [], roots, now)).toBe(true);
  });

  it.each([
    ['without the authority between', leaf, []],
    ['of a leaf that signed itself', makeCertificate({ name }), []],
    [
      'of an authority that only has the name',
      makeCertificate({ name, issuer: makeCertificate({ name: 'Root' }) }),
      [],
    ],
    [
      'over a certificate that is no authority',
      makeCertificate({ name, issuer: leaf }),
      [parsed(leaf), parsed(authority)],
    ],
    ['of a leaf that is out of date', makeCertificate({ name, issuer: root, validTo: '2026-06-01' }), []],
    ['of a leaf that is not valid yet', makeCertificate({ name, issuer: root, validFrom: '2026-12-01' }), []],
  ])('none %s', (_, certificate, others) => {
    expect(leadsToRoot(parsed(certificate), others, roots, now)).toBe(false);
  });

  it('trusts no expired root', () => {
    expect(leadsToRoot(parsed(leaf), [parsed(authority)], roots, new Date('2027-06-01'))).toBe(false);
    const old = makeCertificate({ name: 'Old', isAuthority: true, validTo: '2026-06-01' });
    const issued = parsed(makeCertificate({ name, issuer: old }));
    expect(leadsToRoot(issued, [], [parsed(old)], now)).toBe(false);
  });
});
