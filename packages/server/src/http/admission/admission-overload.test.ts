import { describe, expect, it } from 'vitest';
import { create } from './test-admission.ts';

describe('a queue', () => {
  it('lets a burst as large as the queue wait, however long it takes to come to its end', () => {
    const { ask, pass } = create({ working: 4, queued: 496, open: 10_000 });
    const burst: ReturnType<typeof ask>[] = [];
    // The burst takes 200 ms to arrive, while one request ends every 5 ms.
    for (let turn = 0; turn < 40; turn += 1) {
      for (let count = 0; count < 12.5; count += 1) if (burst.length < 500) burst.push(ask());
      pass(5);
      burst.find(({ place }) => place !== undefined)?.place?.leave();
    }
    for (let turn = 0; turn < 1000; turn += 1) {
      pass(5);
      burst[turn]?.place?.leave();
    }
    expect(burst).toHaveLength(500);
    expect(burst.filter(({ place }) => place === undefined)).toEqual([]);
  });

  it('refuses those who waited longest once a burst turns out to be overload', () => {
    const { ask, pass } = create({ working: 1, queued: 40, open: 10_000 });
    const all = [ask()];
    for (let turn = 0; turn < 100; turn += 1) {
      all.push(ask(), ask());
      pass(5);
      all.find(({ place }) => place !== undefined)?.place?.leave();
      const served = all.findIndex(({ place }) => place !== undefined);
      if (served !== -1) all.splice(served, 1);
    }
    expect(all.some(({ refusal }) => refusal === 'waited')).toBe(true);
    expect(
      all.filter(({ place, refusal }) => place === undefined && refusal === undefined).length,
    ).toBeLessThan(10);
  });

  it('stays with few who wait while those who were refused come again half a second later', () => {
    const { ask, pass } = create({ working: 1, queued: 40, open: 10_000 });
    let inside = [ask()];
    let longest = 0;
    /** Each client that was served asks again at once. Those that were refused come again every half second. */
    for (let turn = 0; turn < 600; turn += 1) {
      if (turn % 100 === 0) inside.push(...Array.from({ length: 60 }, () => ask()));
      pass(5);
      const served = inside.find(({ place }) => place !== undefined);
      served?.place?.leave();
      inside = [...inside.filter((one) => one !== served && one.refusal === undefined), ask()];
      if (turn >= 300) longest = Math.max(longest, inside.length);
    }
    expect(longest).toBeLessThanOrEqual(12);
  });

  it('lets a burst wait, and in a standing queue only as many as come to their turn soon', () => {
    const { ask, pass } = create({ working: 1, queued: 100, open: 1000 });
    /** Every 5 ms one request ends and two arrive. */
    const inside = [ask()];
    const refused: boolean[] = [];
    const waiting: ReturnType<typeof ask>[] = [];
    for (let turn = 0; turn < 400; turn += 1) {
      for (const one of [ask(), ask()]) {
        refused.push(one.refusal === 'full');
        if (one.refusal === undefined) waiting.push(one);
      }
      pass(5);
      inside.shift()?.place?.leave();
      const next = waiting.findIndex(({ place }) => place !== undefined);
      if (next !== -1) inside.push(...waiting.splice(next, 1));
    }
    expect(refused.slice(0, 40).some(Boolean)).toBe(false);
    expect(refused.slice(-100).filter(Boolean).length).toBeGreaterThanOrEqual(48);
    // At 200 requests per second, four get a place within 20 ms.
    expect(waiting.filter(({ refusal }) => refusal === undefined).length).toBeLessThanOrEqual(6);
    // Once no request is refused any more, a burst may wait again.
    for (const one of [...inside, ...waiting]) one.place?.leave();
    for (const one of waiting) one.place?.leave();
    pass(1000);
    const burst = Array.from({ length: 50 }, () => ask());
    expect(burst.some(({ refusal }) => refusal !== undefined)).toBe(false);
  });
});
