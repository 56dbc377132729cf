import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** A certificate with its key, for tests. */
export interface TestCertificate {
  readonly pem: string;
  readonly name: string;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

interface TestCertificateOptions {
  readonly name: string;
  /** The certificate that signs this one; by default it is self-signed. */
  readonly issuer?: TestCertificate;
  readonly isAuthority?: boolean;
  readonly validFrom?: string;
  readonly validTo?: string;
  readonly keys?: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
}

const rsaKeys = () => generateKeyPairSync('rsa', { modulusLength: 2048 });

/** Keys of another type than the upstream's. */
export const ellipticKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** Builds an X.509 certificate, because Node.js can only read them (RFC 5280, 4.1). */
export function makeCertificate(options: TestCertificateOptions): TestCertificate {
  const { name, issuer, isAuthority = false } = options;
  const keys = options.keys ?? rsaKeys();
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    nameOf(issuer?.name ?? name),
    sequence(time(options.validFrom ?? '2026-01-01'), time(options.validTo ?? '2027-01-01')),
    nameOf(name),
    keys.publicKey.export({ type: 'spki', format: 'der' }),
    ...(isAuthority ? [authorityExtension] : []),
  );
  const signature = sign('sha256', body, (issuer ?? keys).privateKey);
  const certificate = sequence(body, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  const pem = ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
  return { pem, name, ...keys };
}

function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 0x80 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...contents: readonly Uint8Array[]): Buffer => der(0x30, ...contents);

const hex = (text: string): Buffer => Buffer.from(text, 'hex');

/** sha256WithRSAEncryption */
const algorithm = sequence(hex('06092a864886f70d01010b'), hex('0500'));

/** basicConstraints, critical: certificate authority */
const authorityExtension = der(
  0xa3,
  sequence(sequence(hex('0603551d13'), hex('0101ff'), der(0x04, sequence(hex('0101ff'))))),
);

const nameOf = (name: string): Buffer =>
  sequence(der(0x31, sequence(hex('0603550403'), der(0x0c, Buffer.from(name)))));

const time = (date: string): Buffer => der(0x17, Buffer.from(`${date.slice(2).replaceAll('-', '')}000000Z`));
