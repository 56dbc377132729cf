/**
 * Works on all items, so many at the same time, in their order.
 * @throws what the first failing work throws, after no other is under way; what had not begun then is left
 */
export async function eachOf<Item extends {}>(
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
