import { describe, expect, it } from 'vitest';
import { labelStep, ticks } from './scale.ts';

describe('the ticks of an axis', () => {
  it.each([
    [100, [0, 25, 50, 75, 100]],
    [7, [0, 2, 4, 6, 8]],
    [0.3, [0, 0.1, 0.2, 0.3]],
    [1_234_567, [0, 500_000, 1_000_000, 1_500_000]],
    [0, [0, 1]],
    [Number.NaN, [0, 1]],
  ])('up to %d', (most, lines) => {
    expect(ticks(most)).toEqual(lines);
  });
});

describe('the ticks of an axis of counts', () => {
  it.each([
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [9, [0, 5, 10]],
    [100, [0, 25, 50, 75, 100]],
  ])('up to %d are integers', (most, lines) => {
    expect(ticks(most, true)).toEqual(lines);
  });
});

describe('labels', () => {
  it('keep their distance', () => {
    expect(labelStep(30, 600, 60)).toBe(3);
    expect(labelStep(5, 600, 60)).toBe(1);
    expect(labelStep(5, 0, 60)).toBe(300);
  });
});
