import type { Batch } from './dependencies.ts';

/** Runs each row by itself: the implementation for callers that do not merge concurrent calls. */
export const unbatched: Batch =
  <Row, Out>(run: (rows: readonly Row[]) => Promise<readonly Out[]>) =>
  async (row: Row) => {
    const [result] = await run([row]);
    return result as Out;
  };
