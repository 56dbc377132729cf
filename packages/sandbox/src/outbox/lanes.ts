/**
 * Processes items with different keys concurrently, and items with the same key one after the other in their
 * order.
 * @param max maximum number of items processed at once
 * @throws the error of the first failed item, after all lanes have ended
 */
export async function inLanes<Item>(
  items: readonly Item[],
  max: number,
  keyOf: (item: Item) => string,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const lanes = new Map<string, Item[]>();
  for (const item of items) {
    const lane = lanes.get(keyOf(item));
    if (lane === undefined) lanes.set(keyOf(item), [item]);
    else lane.push(item);
  }
  const waiting = [...lanes.values()];
  const worker = async () => {
    for (let lane = waiting.shift(); lane !== undefined; lane = waiting.shift()) {
      for (const item of lane) await work(item);
    }
  };
  const results = await Promise.allSettled(Array.from({ length: max }, worker));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
