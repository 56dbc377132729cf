import { createHash, createHmac, hkdfSync } from 'node:crypto';

/** Keys derived from the master key, which lives outside the database. Each purpose has its own. */
export interface DerivedKeys {
  /** Keyed hash of a request body, so that neither PAN nor CVC can be recovered from a stored fingerprint. */
  fingerprint(text: string): Buffer;
  /** A name that only this service can make and that tells nothing: the same text always gives the same one. */
  token(text: string): string;
}

/** @param masterKey at least 32 random bytes */
export function deriveKeys(masterKey: Buffer): DerivedKeys {
  const fingerprintKey = Buffer.from(hkdfSync('sha256', masterKey, '', 'till idempotency fingerprint', 32));
  const tokenKey = Buffer.from(hkdfSync('sha256', masterKey, '', 'till return token', 32));
  return {
    fingerprint: (text) => createHmac('sha256', fingerprintKey).update(text).digest(),
    token: (text) => createHmac('sha256', tokenKey).update(text).digest('base64url'),
  };
}

export const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
