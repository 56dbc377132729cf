import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { until } from '../processor-notifications/test-kit.ts';
import { Batcher } from './batcher.ts';

/** A batcher of rows named `account:fan-out`, with the batches that it sent; `run` decides the outcome of each batch. */
function batcherOf(run: (rows: readonly string[]) => Promise<void> = async () => {}) {
  const batches: string[][] = [];
  const batcher = new Batcher<string, string>(
    async (rows) => {
      batches.push([...rows]);
      await run(rows);
      return rows;
    },
    { fanOutOf: (row) => Number(row.split(':')[1]) },
  );
  return { batches, batcher };
}

const timeOut = () => {
  const error = new pg.DatabaseError('canceling statement due to statement timeout', 0, 'error');
  error.code = '57014';
  error.severity = 'ERROR';
  return error;
};

describe('a batch', () => {
  it('is bounded by the further rows that it writes', async () => {
    const { batches, batcher } = batcherOf();
    const rows = Array.from({ length: 100 }, (_one, n) => `a${n}:16`);
    expect(await Promise.all(rows.map((row) => batcher.submit(row)))).toEqual(rows);
    expect(batches.map((batch) => batch.length)).toEqual([32, 32, 32, 4]);
  });

  it('has its full size where rows write few others', async () => {
    const { batches, batcher } = batcherOf();
    await Promise.all(Array.from({ length: 200 }, (_one, n) => batcher.submit(`a${n}:4`)));
    expect(batches.map((batch) => batch.length)).toEqual([128, 72]);
  });

  it('leaves out a row with a wide fan-out, and does not wait for it', async () => {
    let endWide = () => {};
    const wideEnded = new Promise<void>((resolve) => {
      endWide = resolve;
    });
    const { batches, batcher } = batcherOf((rows) =>
      rows.some((row) => row.startsWith('wide')) ? wideEnded : Promise.resolve(),
    );
    const wide = ['wide1:20000', 'wide2:20000'].map((row) => batcher.submit(row));
    await Promise.all(['a:4', 'b:4', 'c:16', 'd:5'].map((row) => batcher.submit(row)));
    expect(await batcher.submit('e:0')).toBe('e:0');
    expect(batches).toEqual([['wide1:20000'], ['a:4', 'b:4'], ['c:16', 'd:5'], ['e:0']]);
    endWide();
    await Promise.all(wide);
    expect(batches).toContainEqual(['wide2:20000']);
  });

  it('leaves, to the database as well, before the results of the one before it are used', async () => {
    const order: string[] = [];
    const { batcher } = batcherOf(async ([row]) => {
      // Like a connection of the pool, which becomes available in the next tick.
      await new Promise((resolve) => process.nextTick(resolve));
      order.push(`${row} left`);
    });
    const used = ['a:512', 'a:511'].map(async (row) => {
      order.push(`${await batcher.submit(row)} used`);
    });
    await Promise.all(used);
    expect(order.slice(0, 2)).toEqual(['a:512 left', 'a:511 left']);
  });

  it('is retried row by row after a statement timeout, and does not delay the next one', async () => {
    let endSlow = () => {};
    const slowEnded = new Promise<void>((resolve) => {
      endSlow = resolve;
    });
    const { batches, batcher } = batcherOf(async (rows) => {
      if (rows.length > 1 && rows.includes('slow:0')) throw timeOut();
      if (rows.includes('slow:0')) {
        await slowEnded;
        throw timeOut();
      }
    });
    const slow = batcher.submit('slow:0').then(
      () => 'done',
      (error: Error) => error.message,
    );
    const others = ['a:0', 'b:0', 'c:0', 'd:0', 'e:0'];
    expect(await Promise.all(others.map((row) => batcher.submit(row)))).toEqual(others);
    expect(await batcher.submit('later:0')).toBe('later:0');
    endSlow();
    expect(await slow).toBe('canceling statement due to statement timeout');
    await until('each was tried alone', async () => batches.length === 8);
    expect(batches.filter((batch) => batch.length > 1)).toEqual([['slow:0', ...others]]);
  });
});
