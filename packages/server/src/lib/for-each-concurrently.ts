/**
 * Runs `work` for all items in order, with at most `max` concurrent calls.
 * @throws the error of the first failing call, once all running calls have ended; items not yet begun are skipped
 */
export async function forEachConcurrently<Item extends {}>(
  items: readonly Item[],
  max: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  const worker = async () => {
    try {
      for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
    } catch (error) {
      waiting.length = 0;
      throw error;
    }
  };
  const results = await Promise.allSettled(Array.from({ length: Math.min(max, items.length) }, worker));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
