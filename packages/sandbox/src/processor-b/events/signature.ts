import { sign, verify, X509Certificate } from 'node:crypto';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import type { SigningKey } from './signing-key.ts';

/**
 * The parts of an event that PayPal signs: the ids in its headers and a checksum of its bytes (PayPal docs,
 * "Integrate webhooks").
 */
export interface Signed {
  readonly transmissionId: string;
  readonly transmissionTime: string;
  readonly webhookId: string;
  readonly body: Uint8Array;
}

export const signatureAlgorithm = 'SHA256withRSA';

/** Returns the signed message. The checksum is CRC-32 as an unsigned decimal. */
export function signedMessage({ transmissionId, transmissionTime, webhookId, body }: Signed): string {
  return `${transmissionId}|${transmissionTime}|${webhookId}|${crc32(body)}`;
}

const signInBackground = promisify(sign);

/**
 * Returns the Base64 signature of an event. Signing takes most of a millisecond of CPU time, so it runs
 * outside the event loop.
 */
export async function signEvent(signed: Signed, { privateKey }: SigningKey): Promise<string> {
  const signature = await signInBackground('sha256', Buffer.from(signedMessage(signed)), privateKey);
  return signature.toString('base64');
}

/** Whether the certificate's key made this Base64 signature. */
export function verifyEvent(signed: Signed, signature: string, { certificate }: SigningKey): boolean {
  const { publicKey } = new X509Certificate(certificate);
  return verify('sha256', Buffer.from(signedMessage(signed)), publicKey, Buffer.from(signature, 'base64'));
}
