import { createHash } from 'node:crypto';
import type { PaymentCreate } from '@till/contract';

const maxSessionLength = 36;

const shortHash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32);

/**
 * Names a payment's risk session: the merchant's device fingerprint where it fits, else a hash of it; with a
 * transaction context and no fingerprint, a name of the payment's own.
 */
export function riskSession(request: PaymentCreate, paymentId: string): string | null {
  const { device_fingerprint: fingerprint, stc } = request;
  if (fingerprint !== undefined && fingerprint !== '') {
    return fingerprint.length <= maxSessionLength ? fingerprint : shortHash(fingerprint);
  }
  return stc === undefined ? null : shortHash(paymentId);
}

/** The transaction context as text, as the upstream takes it; null where the merchant sent none. */
export function transactionContext(request: PaymentCreate): Readonly<Record<string, string>> | null {
  if (request.stc === undefined) return null;
  return Object.fromEntries(Object.entries(request.stc).map(([key, value]) => [key, String(value)]));
}
