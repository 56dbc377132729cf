import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { playSteps } from '../test-kit.ts';
import { listing, type Page } from './listing.ts';

interface Item {
  readonly id: string;
}

/**
 * A list that grows while it is read. `arrivals[i]` is the number of new objects that appear between the reads `i` and `i + 1`.
 */
function growingList(count: number, perPage: number, arrivals: readonly number[]) {
  let items = Array.from({ length: count }, (_, index) => ({ id: `old-${count - index}` }));
  const read: number[] = [];
  const fetchPage = async (page: number): Promise<Page<Item>> => {
    const come = read.length === 0 ? 0 : (arrivals[read.length - 1] ?? 0);
    items = [
      ...Array.from({ length: come }, (_, index) => ({ id: `new-${read.length}-${index}` })),
      ...items,
    ];
    read.push(page);
    const from = (page - 1) * perPage;
    return {
      object: 'list',
      data: items.slice(from, from + perPage),
      has_more: items.length > from + perPage,
      total_count: items.length,
    };
  };
  const remove = (id: string) => {
    items = items.filter((item) => item.id !== id);
  };
  return { fetchPage, read, remove };
}

describe('a list', () => {
  it('is one page where it is awaited', async () => {
    const { fetchPage, read } = growingList(5, 2, []);
    expect(await listing(fetchPage, 2)).toEqual({
      object: 'list',
      data: [{ id: 'old-3' }, { id: 'old-2' }],
      has_more: true,
      total_count: 5,
    });
    expect(read).toEqual([2]);
  });

  it('is every object once where it is iterated, also when new ones are created meanwhile', async () => {
    const counts = fc.record({
      count: fc.nat(30),
      perPage: fc.integer({ min: 1, max: 7 }),
      arrivals: fc.array(fc.nat(9), { maxLength: 10 }),
    });
    await fc.assert(
      fc.asyncProperty(counts, async ({ count, perPage, arrivals }) => {
        const ids: string[] = [];
        for await (const { id } of listing(growingList(count, perPage, arrivals).fetchPage)) ids.push(id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids.filter((id) => id.startsWith('old-'))).toHaveLength(count);
      }),
    );
  });

  it('is every object once where the work on each takes it out of the list', async () => {
    const counts = fc.record({
      count: fc.nat(40),
      perPage: fc.integer({ min: 1, max: 7 }),
      arrivals: fc.array(fc.nat(3), { maxLength: 60 }),
      stays: fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
    });
    await fc.assert(
      fc.asyncProperty(counts, async ({ count, perPage, arrivals, stays }) => {
        const { fetchPage, remove } = growingList(count, perPage, arrivals);
        const ids: string[] = [];
        for await (const { id } of listing(fetchPage)) {
          ids.push(id);
          if (stays[ids.length % stays.length] !== true) remove(id);
        }
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids.filter((id) => id.startsWith('old-'))).toHaveLength(count);
      }),
    );
  });

  it('fetches no page before it is needed', async () => {
    const { fetchPage, read } = growingList(9, 2, []);
    for await (const { id } of listing(fetchPage)) if (id === 'old-6') break;
    expect(read).toEqual([1, 2]);
  });

  it('begins at the page that is asked for', async () => {
    const { fetchPage, read } = growingList(5, 2, []);
    const ids: string[] = [];
    for await (const { id } of listing(fetchPage, 2)) ids.push(id);
    expect(ids).toEqual(['old-3', 'old-2', 'old-1']);
    expect(read).toEqual([2, 3]);
  });

  it('fails where a page fails, the first or a later one', async () => {
    const page = { object: 'list', data: [{ id: 'pay_1' }], has_more: true, total_count: 2 };
    for (const steps of [['broken'], [{ status: 200, body: page }, 'broken']] as const) {
      const { till } = playSteps(steps, { maxRetries: 0 });
      const walk = async () => {
        const ids: string[] = [];
        for await (const { id } of till.payments.list()) ids.push(id);
        return ids;
      };
      await expect(walk()).rejects.toMatchObject({ code: 'connection_failed' });
    }
  });
});
