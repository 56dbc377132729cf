/**
 * A queue that serves its flows round robin (fair queuing), each in the order of arrival. A flow with one waiting item is served
 * soon, however many items of another flow wait.
 */
export class FairQueue<Item> {
  readonly #flows = new Map<string, Item[]>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** How many items of this flow wait. */
  lengthOf(flow: string): number {
    return this.#flows.get(flow)?.length ?? 0;
  }

  /** The share of `places` that each flow gets, with this flow counted as a waiting one. */
  shareOf(flow: string, places: number): number {
    const flows = this.#flows.size + (this.#flows.has(flow) ? 0 : 1);
    return Math.max(1, Math.floor(places / flows));
  }

  push(flow: string, item: Item): void {
    const waiting = this.#flows.get(flow);
    if (waiting === undefined) this.#flows.set(flow, [item]);
    else waiting.push(item);
    this.#length += 1;
  }

  /** Removes the first item of the next flow. `isLarge`: the flow has at least as many waiting items as the average flow. */
  shift(): { readonly item: Item; readonly flow: string; readonly isLarge: boolean } | undefined {
    const [next] = this.#flows;
    if (next === undefined) return undefined;
    const [flow, waiting] = next;
    const isLarge = waiting.length * this.#flows.size >= this.#length;
    const [item] = waiting.splice(0, 1) as [Item];
    // Move the flow to the end of the round, if it still has waiting items.
    this.#flows.delete(flow);
    if (waiting.length > 0) this.#flows.set(flow, waiting);
    this.#length -= 1;
    return { item, flow, isLarge };
  }

  /** Removes and returns the items for which `isOver` is true. */
  removeWhere(isOver: (item: Item) => boolean): Item[] {
    const removed: Item[] = [];
    for (const [flow, waiting] of this.#flows) {
      const left = waiting.filter((item) => !isOver(item));
      if (left.length === waiting.length) continue;
      removed.push(...waiting.filter(isOver));
      if (left.length === 0) this.#flows.delete(flow);
      else this.#flows.set(flow, left);
    }
    this.#length -= removed.length;
    return removed;
  }

  /** Removes and returns the oldest items of flows above their share, until at most `places` wait or no flow is above it. */
  shed(places: number): Item[] {
    const share = Math.max(1, Math.floor(places / Math.max(1, this.#flows.size)));
    const dropped: Item[] = [];
    for (const waiting of this.#flows.values()) {
      const excess = Math.min(waiting.length - share, this.#length - dropped.length - places);
      if (excess > 0) dropped.push(...waiting.splice(0, excess));
    }
    this.#length -= dropped.length;
    return dropped;
  }
}
