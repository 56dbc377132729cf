import { createHash } from 'node:crypto';
import { randomReference } from '../../lib/random.ts';

/**
 * Derives a reference in the processor's format from the given parts. The same parts always give the same
 * reference, so that concurrent requests conflict on it.
 */
export function derivedReference(...parts: readonly (string | number)[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest();
  return randomReference(digest.subarray(0, 16));
}
