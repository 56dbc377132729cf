import { describe, expect, it } from 'vitest';
import { axisMax, beyondAxis, labelStep, ticks } from './scale.ts';

describe('the ticks of an axis', () => {
  it.each([
    [100, [0, 25, 50, 75, 100]],
    [7, [0, 2, 4, 6, 8]],
    [0.3, [0, 0.1, 0.2, 0.3]],
    [1_234_567, [0, 500_000, 1_000_000, 1_500_000]],
    [0, [0, 1]],
    [Number.NaN, [0, 1]],
  ])('up to %d', (max, lines) => {
    expect(ticks(max)).toEqual(lines);
  });
});

describe('the ticks of an axis of counts', () => {
  it.each([
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [9, [0, 5, 10]],
    [100, [0, 25, 50, 75, 100]],
  ])('up to %d are integers', (max, lines) => {
    expect(ticks(max, true)).toEqual(lines);
  });
});

describe('labels', () => {
  it('keep their distance', () => {
    expect(labelStep(30, 600, 60)).toBe(3);
    expect(labelStep(5, 600, 60)).toBe(1);
    expect(labelStep(5, 0, 60)).toBe(300);
  });
});

describe('an axis', () => {
  const usual = [90, 100, 0, 80, 95, 70];
  it.each([
    ['reaches the largest value', [...usual, 400], 400],
    ['ends below one that is more than five times as large as all others', [...usual, 1_000_000], 100],
    ['ends below two of them', [...usual, 1_000_000, 900_000], 100],
    ['reaches three of them: they are usual', [...usual, 1_000_000, 900_000, 800_000], 1_000_000],
    ['reaches the largest of few values', [100, 100, 0, 0, 1_000_000], 1_000_000],
    ['of nothing is nought', [0, 0], 0],
  ])('%s', (_rule, values, max) => {
    expect(axisMax(values)).toBe(max);
  });

  it('names what is beyond it, in the order of the labels', () => {
    const series = [
      [1, 2, null, 90],
      [50, 3, 4, 5],
    ];
    expect(beyondAxis(series, 10)).toEqual([
      { place: 0, value: 50 },
      { place: 3, value: 90 },
    ]);
    expect(beyondAxis(series, 100)).toEqual([]);
  });
});
