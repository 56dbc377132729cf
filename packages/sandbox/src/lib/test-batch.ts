import type { Batch } from './dependencies.ts';

/** A batch of all calls of one event loop iteration. If the run fails, it repeats each row alone. */
export const collect: Batch = <Row, Out>(
  run: (rows: readonly Row[]) => Promise<readonly Out[]>,
  keyOf?: (row: Row) => string,
): ((row: Row) => Promise<Out>) => {
  let queue: { row: Row; resolve: (result: Out | PromiseLike<Out>) => void }[] = [];
  const resultAt = (results: readonly Out[], i: number): Out => {
    if (i >= results.length) throw new Error(`no result for row ${i}`);
    return results[i] as Out;
  };
  const flush = async (): Promise<void> => {
    const seen = new Set<string>();
    const isFirst = (row: Row) => keyOf === undefined || (!seen.has(keyOf(row)) && seen.add(keyOf(row)));
    const taken = queue.filter(({ row }) => isFirst(row));
    queue = queue.filter((waiting) => !taken.includes(waiting));
    try {
      const results = await run(taken.map(({ row }) => row));
      for (const [i, { resolve }] of taken.entries()) resolve(resultAt(results, i));
    } catch {
      for (const { row, resolve } of taken) resolve(run([row]).then((results) => resultAt(results, 0)));
    }
    if (queue.length > 0) await flush();
  };
  return (row) =>
    new Promise((resolve) => {
      queue.push({ row, resolve });
      if (queue.length === 1) setImmediate(() => void flush());
    });
};
