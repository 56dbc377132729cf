import { describe, expect, it } from 'vitest';
import { suspendNothing } from '../../lib/waiting/suspend.ts';
import type { Place } from './place.ts';
import { create } from './test-admission.ts';

describe('admission', () => {
  it('lets in up to the bound, queues up to the next, refuses the rest at once', () => {
    const { ask, admission } = create();
    const outcomes = Array.from({ length: 5 }, () => ask());
    expect(outcomes.map(({ place, refusal }) => refusal ?? (place === undefined ? 'waits' : 'in'))).toEqual([
      'in',
      'in',
      'waits',
      'waits',
      'full',
    ]);
    expect([admission.working, admission.queued]).toEqual([2, 2]);
  });

  it('gives a place that comes free to the request that waits longest, money first', () => {
    const { ask } = create();
    const [first, second] = [ask(), ask()];
    const read = ask('ordinary');
    const pay = ask('money');
    first.place?.leave();
    expect([read.place, pay.place !== undefined]).toEqual([undefined, true]);
    second.place?.leave();
    expect(read.place).toBeDefined();
  });

  it('keeps the reserve for what moves money, and lets nobody overtake a queue of the same importance', () => {
    const { ask } = create({ working: 3, reserved: 1 });
    const reads = [ask('ordinary'), ask('ordinary'), ask('ordinary')];
    expect(reads.map(({ place }) => place !== undefined)).toEqual([true, true, false]);
    expect(ask('money').place).toBeDefined();
    reads[0]?.place?.leave();
    expect(reads[2]?.place).toBeUndefined();
    reads[1]?.place?.leave();
    expect(reads[2]?.place).toBeDefined();
  });

  it('decides one after the other, however many leave at once, and never below one that leaves', () => {
    const { admission } = create({ working: 1, queued: 512 });
    let first: Place | undefined;
    admission.enter('money', 'a', (outcome) => {
      if (typeof outcome !== 'string') first = outcome;
    });
    let [depth, deepest, decided] = [0, 0, 0];
    for (let count = 0; count < 512; count += 1) {
      admission.enter('money', 'a', (outcome) => {
        depth += 1;
        deepest = Math.max(deepest, depth);
        decided += 1;
        if (typeof outcome !== 'string') outcome.leave();
        depth -= 1;
      });
    }
    first?.leave();
    expect({ decided, deepest, working: admission.working, queued: admission.queued }).toEqual({
      decided: 512,
      deepest: 1,
      working: 0,
      queued: 0,
    });
  });

  it('keeps the reserve also from those whose body came later, and serves their flows in turn', () => {
    const { ask } = create({ working: 3, reserved: 1 });
    const came: string[] = [];
    const resume = (place: Place | undefined, name: string) => place?.resume(() => came.push(name));
    const flows = ['a', 'a', 'a', 'b'];
    const paused = flows.map((flow) => {
      const { place } = ask('ordinary', flow);
      place?.pause();
      return place;
    });
    const held = [ask('ordinary'), ask('ordinary')];
    for (const [index, place] of paused.entries()) resume(place, `${flows[index]}${index}`);
    expect(came).toEqual([]);
    expect(ask('money').place).toBeDefined();
    held[0]?.place?.leave();
    expect(came).toEqual([]);
    held[1]?.place?.leave();
    expect(came).toEqual(['a0']);
    paused[0]?.leave();
    expect(came).toEqual(['a0', 'b3']);
  });

  it('counts no health check', () => {
    const { ask, admission } = create({ working: 1 });
    for (let count = 0; count < 50; count += 1) ask('vital');
    expect(admission.working).toBe(0);
    expect(ask('money').place).toBeDefined();
  });

  it('always has a place for what is not money, however large the reserve', () => {
    const { ask } = create({ working: 2, reserved: 5 });
    expect(ask('ordinary').place).toBeDefined();
  });

  it('lets health checks in whatever happens', () => {
    const { ask } = create({ working: 1, queued: 0, open: 1 });
    ask();
    expect(ask().refusal).toBe('open');
    expect(ask('vital').place).toBeDefined();
  });

  it('refuses what waited too long, and nothing twice', async () => {
    const { ask, pass, expire } = create({ working: 1 });
    const first = ask();
    const waiting = ask();
    pass(999);
    await expire();
    expect(waiting.refusal).toBeUndefined();
    pass(1);
    await expire();
    expect(waiting.refusal).toBe('waited');
    first.place?.leave();
    expect(waiting.place).toBeUndefined();
    expect(ask().place).toBeDefined();
  });

  it('does not count what waits for a processor as work, but bounds how many are under way', async () => {
    const { ask, admission } = create({ working: 1, queued: 1, open: 3 });
    let answer = () => {};
    const first = ask();
    const exchange = first.place?.suspend(() => new Promise<void>((resolve) => (answer = resolve)));
    expect([admission.working, admission.waiting]).toEqual([0, 1]);
    expect(ask().place).toBeDefined();
    expect(ask().place).toBeUndefined();
    expect(ask().refusal).toBe('open');
    answer();
    await exchange;
    expect(admission.working).toBe(2);
    first.place?.leave();
    expect([admission.working, admission.waiting]).toEqual([1, 0]);
  });

  it('lets in nobody more for what waits without holding a place, such as a job or a request that left', async () => {
    const { ask, admission } = create({ working: 2, queued: 10 });
    const [, held, left] = [ask(), ask(), ask('vital')];
    const waiting = Array.from({ length: 5 }, () => ask());
    held.place?.leave();
    const forEver = () => new Promise<void>(() => {});
    for (const suspend of [suspendNothing, held.place?.suspend, left.place?.suspend]) void suspend?.(forEver);
    expect(waiting.filter(({ place }) => place !== undefined)).toHaveLength(1);
    expect([admission.working, admission.waiting, admission.queued]).toEqual([2, 0, 4]);
  });

  it('counts a request once, whatever it waits for at the same time, and no more once it has left', async () => {
    const { ask, admission } = create({ working: 1 });
    const ends: (() => void)[] = [];
    const wait = () => new Promise<void>((resolve) => ends.push(resolve));
    const { place } = ask();
    const waits = [place?.suspend(wait), place?.suspend(wait)];
    expect([admission.working, admission.waiting]).toEqual([0, 1]);
    ends[0]?.();
    await waits[0];
    expect([admission.working, admission.waiting]).toEqual([0, 1]);
    place?.leave();
    expect([admission.working, admission.waiting]).toEqual([0, 0]);
    ends[1]?.();
    await waits[1];
    expect([admission.working, admission.waiting]).toEqual([0, 0]);
  });

  it('has its place back also after a wait that failed', async () => {
    const { ask, admission } = create({ working: 1 });
    const { place } = ask();
    await expect(place?.suspend(() => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect([admission.working, admission.waiting]).toEqual([1, 0]);
  });

  it('gives the place of a request whose body is still to come to others, and waits for one when it has come', () => {
    const { ask, admission } = create({ working: 1 });
    const slow = ask();
    slow.place?.pause();
    const quick = ask();
    expect(quick.place).toBeDefined();
    let gone = false;
    slow.place?.resume(() => (gone = true));
    expect(gone).toBe(false);
    const later = ask();
    quick.place?.leave();
    expect([gone, later.place]).toEqual([true, undefined]);
    slow.place?.leave();
    expect(later.place).toBeDefined();
    expect(admission.working).toBe(1);
  });

  it('counts each request once, however often it leaves and in whatever state', () => {
    const { ask, admission } = create();
    const [one, other] = [ask(), ask()];
    one.place?.pause();
    one.place?.leave();
    one.place?.leave();
    other.place?.leave();
    expect(admission.working).toBe(0);
    expect([ask(), ask()].every(({ place }) => place !== undefined)).toBe(true);
  });

  it('does not count a request whose body is still to come among those under way', () => {
    const { ask } = create({ working: 1, queued: 0, open: 2 });
    const slow = Array.from({ length: 50 }, () => {
      const one = ask();
      one.place?.pause();
      return one;
    });
    expect(slow.every(({ place }) => place !== undefined)).toBe(true);
    expect(ask().place).toBeDefined();
  });

  it('keeps a part of all that may be under way for what moves money', () => {
    const { ask } = create({ working: 100, open: 8 });
    const reads = Array.from({ length: 8 }, () => ask('ordinary'));
    expect(reads.map(({ refusal }) => refusal)).toEqual([...Array(6).fill(undefined), 'open', 'open']);
    expect([ask('money').place !== undefined, ask('money').place !== undefined]).toEqual([true, true]);
    expect(ask('money').refusal).toBe('open');
  });

  it('waits on while others come to their turn, and gives up once nobody does', async () => {
    const { ask, pass, expire } = create({ working: 1, queued: 10 });
    const [first, second, third] = [ask(), ask(), ask()];
    pass(900);
    first.place?.leave();
    pass(900);
    await expire();
    expect(third.refusal).toBeUndefined();
    pass(900);
    await expire();
    expect(third.refusal).toBe('waited');
    second.place?.leave();
    expect(third.place).toBeUndefined();
  });

  it('serves flows in turn: one that has hardly anything waiting is next, however many wait of another', () => {
    const { ask } = create({ working: 1, queued: 100, open: 1000 });
    const first = ask('money', 'crowd');
    const crowd = Array.from({ length: 50 }, () => ask('money', 'crowd'));
    const other = ask('money', 'other');
    first.place?.leave();
    expect(crowd[0]?.place).toBeDefined();
    crowd[0]?.place?.leave();
    expect(other.place).toBeDefined();
  });

  it('lets a flow with less than its share wait where another fills the queue', () => {
    const { ask } = create({ working: 1, queued: 10, open: 1000 });
    ask('money', 'crowd');
    const crowd = Array.from({ length: 20 }, () => ask('money', 'crowd'));
    expect(crowd.filter(({ refusal }) => refusal === 'full')).toHaveLength(10);
    const others = Array.from({ length: 20 }, () => ask('money', 'other'));
    expect(others.filter(({ refusal }) => refusal === undefined)).toHaveLength(5);
    const many = Array.from({ length: 100 }, (_, flow) => ask('money', `flow ${flow}`));
    expect(many.filter(({ refusal }) => refusal === undefined)).toHaveLength(5);
  });
});
