import { createCipheriv, createDecipheriv } from 'node:crypto';

const algorithm = 'aes-256-gcm';
/** The length of the nonce in bytes. A nonce must never be used twice with one key (NIST SP 800-38D, 8.2.2). */
export const nonceLength = 12;
const tagLength = 16;

/**
 * Encrypts with AES-256-GCM.
 * @param key 32 bytes
 * @param place identifies where the result is stored; it cannot be opened for any other place
 * @param nonce 12 random bytes
 * @returns nonce, tag and ciphertext, concatenated
 */
export function sealBytes(key: Buffer, place: string, plain: Buffer, nonce: Uint8Array): Buffer {
  const cipher = createCipheriv(algorithm, key, nonce);
  cipher.setAAD(Buffer.from(place));
  const text = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

/** Decrypts the result of `sealBytes`. @throws if it was changed, or was sealed with another key or for another place */
export function openBytes(key: Buffer, place: string, sealed: Buffer): Buffer {
  const nonce = sealed.subarray(0, nonceLength);
  const tag = sealed.subarray(nonceLength, nonceLength + tagLength);
  const text = sealed.subarray(nonceLength + tagLength);
  try {
    const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagLength });
    decipher.setAAD(Buffer.from(place));
    decipher.setAuthTag(tag);
    return Buffer.concat([decipher.update(text), decipher.final()]);
  } catch (cause) {
    throw new Error(`what is sealed does not belong to ${place}, or was changed`, { cause });
  }
}
