import { describe, expect, it } from 'vitest';
import {
  changeOf,
  currencyName,
  dayLabel,
  greatest,
  monthLabel,
  percentOf,
  percentText,
  pointsOf,
  sum,
} from './figures.ts';

describe('a change', () => {
  it.each([
    [150, 100, '+50 %', true],
    [104.25, 100, '+4.3 %', true],
    [90, 100, '−10 %', false],
    [0, 100, '−100 %', false],
    [1090, 100, '+990 %', true],
    [1100, 100, '×11', true],
    [3000, 1, '×3,000', true],
  ])('from %s to %s', (now, before, text, up) => {
    expect(changeOf(now, before)).toEqual({ text, up });
  });

  it('is undefined where there was nothing before, or nothing changed', () => {
    expect(changeOf(5, 0)).toBeUndefined();
    expect(changeOf(5, 5)).toBeUndefined();
  });

  it('of shares is in percentage points', () => {
    expect(pointsOf(90, 87.5)).toEqual({ text: '+2.5 points', up: true });
    expect(pointsOf(87.5, 90)).toEqual({ text: '−2.5 points', up: false });
    expect(pointsOf(90, 90.04)).toBeUndefined();
    expect(pointsOf(null, 90)).toBeUndefined();
    expect(pointsOf(90, null)).toBeUndefined();
  });
});

describe('words', () => {
  it('for numbers', () => {
    expect(percentText(12.34)).toBe('12.3 %');
    expect(percentText(100)).toBe('100.0 %');
  });

  it('for days and months, whatever the time zone', () => {
    expect(dayLabel('2026-11-20')).toBe('20 Nov');
    expect(monthLabel('2026-01')).toBe('Jan 2026');
  });

  it('for currencies', () => {
    expect(currencyName('EUR')).toBe('Euro');
    expect(currencyName('nope')).toBe('nope');
  });
});

it('a percentage of nothing is null', () => {
  expect(percentOf(1, 4)).toBe(25);
  expect(percentOf(0, 0)).toBeNull();
});

it('sum and maximum ignore missing values', () => {
  expect(sum([1, null, 2])).toBe(3);
  expect(greatest([1, null, 5, 5])).toEqual({ value: 5, place: 2 });
  expect(greatest([null])).toBeUndefined();
});
