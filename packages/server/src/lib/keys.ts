import { createHmac, hash as digest, hkdfSync } from 'node:crypto';

/** Functions with keys derived from the master key, which is stored outside the database. Each purpose has a separate key. */
export interface DerivedKeys {
  /**
   * Keyed hashes of a request body, so that neither PAN nor CVC can be recovered from a stored fingerprint. The first is the one
   * to store; during a rotation the second is the hash under the other master key, which older records have.
   */
  fingerprints(text: string): readonly [Buffer, ...Buffer[]];
  /** A token that only this service can compute and that reveals nothing. The same text always gives the same token. */
  token(text: string): string;
}

/**
 * @param masterKey at least 32 random bytes
 * @param previous the other master key during a rotation, else null
 */
export function deriveKeys(masterKey: Buffer, previous: Buffer | null = null): DerivedKeys {
  const derive = (key: Buffer, purpose: string) => Buffer.from(hkdfSync('sha256', key, '', purpose, 32));
  const fingerprintKey = (key: Buffer) => derive(key, 'till idempotency fingerprint');
  const inForce = fingerprintKey(masterKey);
  const others = previous === null ? [] : [fingerprintKey(previous)];
  const tokenKey = derive(masterKey, 'till return token');
  const hash = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  return {
    fingerprints: (text) => [hash(inForce, text), ...others.map((key) => hash(key, text))],
    token: (text) => hash(tokenKey, text).toString('base64url'),
  };
}

export const sha256 = (text: string): Buffer => digest('sha256', text, 'buffer');
