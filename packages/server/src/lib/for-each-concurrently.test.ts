import { describe, expect, it } from 'vitest';
import { forEachConcurrently } from './for-each-concurrently.ts';

describe('forEachConcurrently', () => {
  it('calls the function once for every item, with bounded concurrency', async () => {
    let running = 0;
    let highest = 0;
    const seen: number[] = [];
    await forEachConcurrently([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
      running += 1;
      highest = Math.max(highest, running);
      await Promise.resolve();
      seen.push(item);
      running -= 1;
    });
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(highest).toBe(3);
  });

  it('starts nothing more after a failure, and ends after the running calls', async () => {
    const ended: number[] = [];
    const work = forEachConcurrently([1, 2, 3, 4], 2, async (item) => {
      if (item === 1) throw new RangeError('the first');
      await new Promise((resolve) => setImmediate(resolve));
      ended.push(item);
    });
    await expect(work).rejects.toThrow('the first');
    expect(ended).toEqual([2]);
  });
});
