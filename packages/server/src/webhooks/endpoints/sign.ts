import { createHmac } from 'node:crypto';
import type { RandomBytes } from '../../lib/ids.ts';

const prefix = 'whsec_';
const keyBytes = 32;

/** A new signing secret: `whsec_` and 32 random bytes in base64 (decisions, "Webhooks"). */
export function newSecret(randomBytes: RandomBytes): string {
  return `${prefix}${Buffer.from(randomBytes(keyBytes)).subarray(0, keyBytes).toString('base64')}`;
}

/** What a delivery's signatures are made of. */
export interface SignedMessage {
  /** The event's id, the same on every attempt. */
  readonly id: string;
  /** Unix seconds of this attempt. */
  readonly timestamp: number;
  /** The raw body. */
  readonly body: string;
}

/**
 * The headers that prove where a delivery comes from: those of Standard Webhooks, and `Service-Signature` over the raw
 * body alone, as the contract says it (decisions, "Webhooks").
 * @param secret as shown to the merchant
 */
export function signatureHeaders(secret: string, message: SignedMessage): Record<string, string> {
  const { id, timestamp, body } = message;
  const key = Buffer.from(secret.slice(prefix.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
    'service-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  };
}
