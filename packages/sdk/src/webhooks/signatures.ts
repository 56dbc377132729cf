import { SignatureVerificationError } from './webhook-error.ts';

/** The parts of a delivery that its signatures cover. */
export interface SignedMessage {
  readonly id: string;
  /** Unix seconds as a string. */
  readonly timestamp: string;
  readonly body: Uint8Array;
}

/**
 * Loads the module lazily, so that a browser bundle still loads and can explain why it does not work there.
 */
const nodeCrypto = () => process.getBuiltinModule('node:crypto');

const prefix = 'whsec_';

/**
 * Decodes a signing secret into its key bytes.
 * @throws SignatureVerificationError `bad_secret`, with a message that does not contain the secret
 */
function keyOf(secret: unknown): Buffer {
  const encoded = typeof secret === 'string' && secret.startsWith(prefix) ? secret.slice(prefix.length) : '';
  if (/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return Buffer.from(encoded, 'base64');
  throw new SignatureVerificationError(
    'bad_secret',
    'The secret must be the signing secret of the endpoint, whsec_…; check that your setting is there and whole.',
  );
}

/**
 * Calculates the value of the `webhook-signature` header, as Standard Webhooks defines it.
 * @throws SignatureVerificationError `bad_secret`
 */
export function standardSignature(secret: string, { id, timestamp, body }: SignedMessage): string {
  const hmac = nodeCrypto().createHmac('sha256', keyOf(secret));
  return `v1,${hmac.update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
}

/** Calculates the value of the `Service-Signature` header, which covers the body alone. */
export function serviceSignature(secret: string, body: Uint8Array): string {
  return `sha256=${nodeCrypto().createHmac('sha256', secret).update(body).digest('hex')}`;
}

/** Compares two strings in constant time. */
export function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && nodeCrypto().timingSafeEqual(a, b);
}
