import { describe, expect, it } from 'vitest';
import { Bulkhead } from './bulkhead.ts';

const enterAll = (bulkhead: Bulkhead, key: string, count: number) =>
  Array.from({ length: count }, () => bulkhead.enter(key)).filter((leave) => leave !== null);

describe('a bulkhead', () => {
  it('bounds the places of each key', () => {
    const bulkhead = new Bulkhead({ each: 2, all: 10 });
    expect(enterAll(bulkhead, 'a', 3)).toHaveLength(2);
    expect(enterAll(bulkhead, 'b', 3)).toHaveLength(2);
    expect(bulkhead.total).toBe(4);
  });

  it('returns a place once, however often leave is called', () => {
    const bulkhead = new Bulkhead({ each: 1, all: 10 });
    const leave = bulkhead.enter('a');
    leave?.();
    leave?.();
    expect(bulkhead.total).toBe(0);
    expect(enterAll(bulkhead, 'a', 2)).toHaveLength(1);
  });

  it('admits a key below its share where others hold all places', () => {
    const bulkhead = new Bulkhead({ each: 10, all: 10 });
    enterAll(bulkhead, 'a', 10);
    expect(enterAll(bulkhead, 'b', 10)).toHaveLength(5);
    expect(enterAll(bulkhead, 'c', 10)).toHaveLength(3);
    expect(bulkhead.hasCapacity('a')).toBe(false);
  });

  it('exceeds its bound by at most a harmonic share, however many keys there are', () => {
    const bulkhead = new Bulkhead({ each: 10, all: 10 });
    for (let key = 0; key < 1000; key += 1) enterAll(bulkhead, String(key), 10);
    expect(bulkhead.total).toBeLessThanOrEqual(40);
  });
});
