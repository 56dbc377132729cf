import { describe, expect, it } from 'vitest';
import { callBudget } from './call-budget.ts';

function budget() {
  let time = Date.parse('2026-11-20T12:00:00Z');
  const { take } = callBudget({ now: () => new Date(time) }, { max: 2, windowMs: 60_000 });
  return { take, move: (ms: number) => (time += ms) };
}

describe('callBudget', () => {
  it('allows so many calls per window', () => {
    const { take, move } = budget();
    expect([take('a'), take('a'), take('a')]).toEqual([true, true, false]);
    move(59_999);
    expect(take('a')).toBe(false);
    move(1);
    expect([take('a'), take('a'), take('a')]).toEqual([true, true, false]);
  });

  it('counts each key by itself', () => {
    const { take } = budget();
    expect([take('a'), take('a'), take('b'), take('a')]).toEqual([true, true, true, false]);
  });

  it('starts again where the clock was set back', () => {
    const { take, move } = budget();
    take('a');
    take('a');
    move(-3_600_000);
    expect(take('a')).toBe(true);
  });

  it('keeps the counts of the present window when it drops older ones', () => {
    const { take, move } = budget();
    for (let number = 0; number < 1_000; number += 1) take(`old ${number}`);
    move(60_000);
    expect([take('a'), take('a'), take('a')]).toEqual([true, true, false]);
  });
});
