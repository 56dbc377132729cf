import { createHmac } from 'node:crypto';
import type { RandomBytes } from '../../lib/ids.ts';

const prefix = 'whsec_';
const keyBytes = 32;

/** Creates a signing secret: `whsec_` and 32 random bytes in base64 (decisions, "Webhooks"). */
export function newSecret(randomBytes: RandomBytes): string {
  return `${prefix}${Buffer.from(randomBytes(keyBytes)).subarray(0, keyBytes).toString('base64')}`;
}

/** The input of a delivery's signatures. */
export interface SignedMessage {
  /** The event's id, the same on every attempt. */
  readonly id: string;
  /** Unix seconds of this attempt. */
  readonly timestamp: number;
  /** The raw body. */
  readonly body: string;
}

/**
 * While a second secret signs, its signature stands beside the first in the Standard Webhooks header, which takes several,
 * and in this header, since `Service-Signature` holds only one (spec, "Events").
 */
const secondHeader = 'service-signature-previous';

/**
 * The headers that prove where a delivery comes from: those of Standard Webhooks, and `Service-Signature`, which signs the
 * raw body alone, as the contract requires (decisions, "Webhooks").
 * @param secret as shown to the merchant
 * @param former the secret that it replaced, if that one signs too
 */
export function signatureHeaders(
  secret: string,
  message: SignedMessage,
  former?: string,
): Record<string, string> {
  const { id, timestamp, body } = message;
  const secrets = former === undefined ? [secret] : [secret, former];
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((one) => standardSignature(one, message)).join(' '),
    'service-signature': serviceSignature(secret, body),
    ...(former === undefined ? {} : { [secondHeader]: serviceSignature(former, body) }),
  };
}

function standardSignature(secret: string, { id, timestamp, body }: SignedMessage): string {
  const key = Buffer.from(secret.slice(prefix.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

const serviceSignature = (secret: string, body: string) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
