import { describe, expect, it } from 'vitest';
import { listAsText, listOfPage, placeOfPage } from './list.ts';

describe('a page of a list', () => {
  it('is the first, of the default length, without parameters', () => {
    expect(placeOfPage({})).toEqual({ page: 1, perPage: 20, offset: 0 });
    expect(placeOfPage({}, 50)).toEqual({ page: 1, perPage: 50, offset: 0 });
    expect(placeOfPage({ page: 3, per_page: 7 }, 50)).toEqual({ page: 3, perPage: 7, offset: 14 });
  });

  it('has_more while rows are left', () => {
    const place = placeOfPage({ page: 2, per_page: 2 });
    expect(listOfPage(['c', 'd'], 5, place).has_more).toBe(true);
    expect(listOfPage(['c', 'd'], 4, place).has_more).toBe(false);
    expect(listOfPage([], 0, place)).toEqual({ object: 'list', data: [], has_more: false, total_count: 0 });
  });

  it('is the same from strings', () => {
    const items = [{ id: 1 }, { id: 2 }];
    for (const total of [0, 2, 9]) {
      const data = total === 0 ? [] : items;
      const place = placeOfPage({ per_page: 2 });
      const text = listAsText(
        data.map((item) => JSON.stringify(item)),
        total,
        place,
      );
      expect(text).toBe(JSON.stringify(listOfPage(data, total, place)));
    }
  });
});
