import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { deriveKeys } from './keys.ts';

const oldKey = randomBytes(32);
const newKey = randomBytes(32);

describe('the keyed hash of a request body', () => {
  it('has 32 bytes under one master key', () => {
    const prints = deriveKeys(oldKey).fingerprints('{"amount":1}');
    expect(prints).toHaveLength(1);
    expect(prints[0]).toHaveLength(32);
    expect(deriveKeys(oldKey).fingerprints('{"amount":1}')).toEqual(prints);
    expect(deriveKeys(oldKey).fingerprints('{"amount":2}')).not.toEqual(prints);
  });

  it('is computed under both master keys during a rotation, the current one first', () => {
    const [before] = deriveKeys(oldKey).fingerprints('body');
    const [after] = deriveKeys(newKey).fingerprints('body');
    expect(deriveKeys(newKey, oldKey).fingerprints('body')).toEqual([after, before]);
    expect(deriveKeys(oldKey, newKey).fingerprints('body')).toEqual([before, after]);
  });
});
