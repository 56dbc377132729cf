import { createHash } from 'node:crypto';
import { randomReference } from '../../lib/random.ts';

/** A reference in the processor's form that the same parts always give, so that two requests at once meet under it. */
export function derivedReference(...parts: readonly (string | number)[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest();
  return randomReference(digest.subarray(0, 16));
}
