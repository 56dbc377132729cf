import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newId, pooled, randomBase62 } from './ids.ts';

const lastMillisecond = 36 ** 8 - 1;
const date = fc.integer({ min: 0, max: lastMillisecond }).map((milliseconds) => new Date(milliseconds));

/** A source that returns the given bytes cyclically. */
function source(...bytes: readonly number[]) {
  let next = 0;
  return (count: number) => Uint8Array.from({ length: count }, () => bytes[next++ % bytes.length] ?? 0);
}

describe('newId', () => {
  it('is the prefix, the time in base36 and random characters', () => {
    expect(newId('pay', new Date(0), source(0))).toBe('pay_000000000000000000000000');
    expect(newId('cus', new Date(lastMillisecond), source(35))).toBe('cus_zzzzzzzzzzzzzzzzzzzzzzzz');
    expect(newId('evt', new Date('2026-11-20T12:00:00Z'), source(10, 36))).toBe(
      'evt_mwoxfuo0a0a0a0a0a0a0a0a0',
    );
  });

  it('has 24 lowercase alphanumerics whatever the time and the bytes', () => {
    fc.assert(
      fc.property(date, fc.uint8Array({ minLength: 8, maxLength: 8, max: 251 }), (now, bytes) => {
        expect(newId('pay', now, source(...bytes))).toMatch(/^pay_[a-z0-9]{24}$/);
      }),
    );
  });

  it('sorts by time', () => {
    fc.assert(
      fc.property(date, date, (a, b) => {
        const [left, right] = [newId('pay', a, randomBytes), newId('pay', b, randomBytes)];
        if (a.getTime() !== b.getTime()) expect(left < right).toBe(a < b);
      }),
    );
  });

  it.each([-1, lastMillisecond + 1, Number.NaN])('refuses the time %d', (milliseconds) => {
    expect(() => newId('pay', new Date(milliseconds), randomBytes)).toThrow(RangeError);
  });

  it('does not repeat within one millisecond', () => {
    const now = new Date();
    const ids = new Set(Array.from({ length: 10_000 }, () => newId('op', now, randomBytes)));
    expect(ids.size).toBe(10_000);
  });

  it('draws each character equally often from evenly spread bytes', () => {
    const everyByte = source(...Array.from({ length: 256 }, (_, byte) => byte));
    const counts = new Map<string, number>();
    for (let round = 0; round < 36 * 7; round += 1) {
      for (const character of newId('pay', new Date(0), everyByte).slice(12)) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }
    // Bytes modulo 36 without rejection would draw 0-3 one seventh more often than the rest.
    const frequencies = [...counts.values()];
    expect(counts.size).toBe(36);
    expect(Math.max(...frequencies) / Math.min(...frequencies)).toBeLessThan(1.1);
  });
});

describe('randomBase62', () => {
  it('rejects bytes that would bias the distribution', () => {
    expect(randomBase62(4, source(248, 255, 61, 250, 62, 123, 247))).toBe('Z0ZZ');
  });

  it('has the requested length, of letters and digits', () => {
    fc.assert(
      fc.property(fc.nat(100), (length) => {
        const text = randomBase62(length, randomBytes);
        expect(text).toHaveLength(length);
        expect(text).toMatch(/^[A-Za-z0-9]*$/);
      }),
    );
  });

  it('uses every character', () => {
    expect(new Set(randomBase62(10_000, randomBytes)).size).toBe(62);
  });
});

describe('pooled', () => {
  it('returns every byte of its source once, in order', () => {
    let next = 0;
    const draw = pooled((count) => Uint8Array.from({ length: count }, () => next++), 6);
    expect([draw(2), draw(3), draw(1)].map((bytes) => [...bytes])).toEqual([[0, 1], [2, 3, 4], [5]]);
  });

  it('draws again when the block is used up, and never returns a partial id', () => {
    const asked: number[] = [];
    const draw = pooled((count) => {
      asked.push(count);
      return new Uint8Array(count).fill(asked.length);
    }, 4);
    expect([draw(3), draw(2), draw(2), draw(9)].map((bytes) => [...bytes])).toEqual([
      [1, 1, 1],
      [2, 2],
      [2, 2],
      [3, 3, 3, 3, 3, 3, 3, 3, 3],
    ]);
    expect(asked).toEqual([4, 4, 9]);
  });
});
