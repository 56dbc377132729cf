import { createHash } from 'node:crypto';
import type { PaymentCreate } from '@till/contract';

const maxSessionLength = 36;

const shortHash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32);

/**
 * The name of a payment's risk session: the merchant's device fingerprint if it is short enough, else its hash. Without a
 * fingerprint but with a transaction context, it is derived from the payment's id. Null if there is neither.
 */
export function riskSession(request: PaymentCreate, paymentId: string): string | null {
  const { device_fingerprint: fingerprint, stc } = request;
  if (fingerprint !== undefined && fingerprint !== '') {
    return fingerprint.length <= maxSessionLength ? fingerprint : shortHash(fingerprint);
  }
  return stc === undefined ? null : shortHash(paymentId);
}

/** The transaction context with its values as text, as the upstream expects it; null if the merchant sent none. */
export function transactionContext(request: PaymentCreate): Readonly<Record<string, string>> | null {
  if (request.stc === undefined) return null;
  return Object.fromEntries(Object.entries(request.stc).map(([key, value]) => [key, String(value)]));
}
