import { createPublicKey, type KeyObject, sign } from 'node:crypto';

/**
 * Encodes a self-signed X.509 certificate (RFC 5280) by hand, since Node.js can read certificates but not
 * create them.
 */

const tags = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
  /** `[2]` of a general name: a host name (RFC 5280, 4.2.1.6). */
  dnsName: 0x82,
  /** `[0]`, the version, and `[3]`, the extensions, of a certificate (RFC 5280, 4.1). */
  version: 0xa0,
  extensions: 0xa3,
} as const;

function lengthOf(size: number): Buffer {
  if (size < 0x80) return Buffer.from([size]);
  const bytes = Buffer.from(size.toString(16).padStart(size > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
}

/** Encodes one DER value (ITU-T X.690) of at most 64 KiB from its concatenated contents. */
function encode(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

/** Encodes an object identifier in dot notation. */
function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = rest.flatMap((part) => {
    const septets = [part & 0x7f];
    for (let left = part >> 7; left > 0; left >>= 7) septets.unshift((left & 0x7f) | 0x80);
    return septets;
  });
  return encode(tags.objectIdentifier, Buffer.from([first * 40 + second, ...bytes]));
}

function utcTime(at: Date): Buffer {
  const digits = at.toISOString().replace(/\D/g, '').slice(2, 14);
  return encode(tags.utcTime, Buffer.from(`${digits}Z`));
}

function bits(content: Uint8Array, unused = 0): Buffer {
  return encode(tags.bitString, Buffer.from([unused]), content);
}

const sha256WithRsa = () => encode(tags.sequence, oid('1.2.840.113549.1.1.11'), encode(tags.null));

function nameOf(host: string): Buffer {
  const commonName = encode(tags.sequence, oid('2.5.4.3'), encode(tags.utf8String, Buffer.from(host)));
  return encode(tags.sequence, encode(tags.set, commonName));
}

function extension(id: string, value: Uint8Array): Buffer {
  return encode(tags.sequence, oid(id), encode(tags.octetString, value));
}

function extensionsOf(host: string): Buffer {
  const subjectAltName = encode(tags.sequence, encode(tags.dnsName, Buffer.from(host)));
  // Two bits: digitalSignature, and keyCertSign for the certificate's own signature.
  const keyUsage = bits(Buffer.from([0x84]), 2);
  return encode(
    tags.extensions,
    encode(tags.sequence, extension('2.5.29.15', keyUsage), extension('2.5.29.17', subjectAltName)),
  );
}

export interface CertificateRequest {
  /** An RSA key. */
  readonly privateKey: KeyObject;
  readonly host: string;
  /** A positive number of up to 20 bytes. Its first bit is cleared. */
  readonly serial: Uint8Array;
  /** Whole seconds before the year 2050. */
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** Returns the certificate in PEM format. */
export function selfSignedCertificate(request: CertificateRequest): string {
  const { privateKey, host, serial, notBefore, notAfter } = request;
  const [first = 0, ...rest] = serial;
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  const toBeSigned = encode(
    tags.sequence,
    encode(tags.version, encode(tags.integer, Buffer.from([2]))),
    encode(tags.integer, Buffer.from([(first & 0x7f) | 0x40, ...rest])),
    sha256WithRsa(),
    nameOf(host),
    encode(tags.sequence, utcTime(notBefore), utcTime(notAfter)),
    nameOf(host),
    publicKey,
    extensionsOf(host),
  );
  const signature = sign('sha256', toBeSigned, privateKey);
  const certificate = encode(tags.sequence, toBeSigned, sha256WithRsa(), bits(signature));
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
