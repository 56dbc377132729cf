import { sign, verify, X509Certificate } from 'node:crypto';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import type { SigningKey } from './signing-key.ts';

/** What PayPal signs of an event: the ids around it and a checksum of its bytes (PayPal docs, "Integrate webhooks"). */
export interface Signed {
  readonly transmissionId: string;
  readonly transmissionTime: string;
  readonly webhookId: string;
  readonly body: Uint8Array;
}

export const signatureAlgorithm = 'SHA256withRSA';

/** The message under the signature; the checksum is CRC-32 as an unsigned decimal. */
export function signedMessage({ transmissionId, transmissionTime, webhookId, body }: Signed): string {
  return `${transmissionId}|${transmissionTime}|${webhookId}|${crc32(body)}`;
}

const signInBackground = promisify(sign);

/** In Base64. It takes most of a millisecond of a core, which requests do not wait for. */
export async function signEvent(signed: Signed, { privateKey }: SigningKey): Promise<string> {
  const signature = await signInBackground('sha256', Buffer.from(signedMessage(signed)), privateKey);
  return signature.toString('base64');
}

/** Whether the signature, in Base64, was made by the key of the certificate. */
export function verifyEvent(signed: Signed, signature: string, { certificate }: SigningKey): boolean {
  const { publicKey } = new X509Certificate(certificate);
  return verify('sha256', Buffer.from(signedMessage(signed)), publicKey, Buffer.from(signature, 'base64'));
}
