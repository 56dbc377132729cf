interface Busy {
  running: number;
  /** As much was claimed as there was room for: more may be due. */
  more: boolean;
}

/** How many exchanges run at once with each endpoint, or for each account, and how many more may. */
export class ConcurrencyLimits {
  readonly #limit: (running: number, free: number) => number;
  readonly #busy = new Map<string, Busy>();

  /** @param limit most at once for one of which so many run, while so many places of the lane are free */
  constructor(limit: (running: number, free: number) => number) {
    this.#limit = limit;
  }

  /** Places for one of which so many exchanges run. */
  room(free: number, running = 0): number {
    return Math.max(0, this.#limit(running, free) - running);
  }

  /** Places for each of which any exchanges run. */
  rooms(free: number): Record<string, number> {
    return Object.fromEntries(Array.from(this.#busy, ([id, { running }]) => [id, this.room(free, running)]));
  }

  begin(id: string): void {
    const busy = this.#busy.get(id);
    if (busy === undefined) this.#busy.set(id, { running: 1, more: false });
    else busy.running += 1;
  }

  /**
   * @param free places of the lane, the one that has become free included
   * @returns whether more may be due, and enough places are free again for a claim to be worth it
   */
  end(id: string, free: number): boolean {
    const busy = this.#busy.get(id);
    if (busy === undefined) return false;
    busy.running -= 1;
    if (busy.running === 0) this.#busy.delete(id);
    const worth = busy.more && busy.running <= this.room(free, busy.running);
    if (worth) busy.more = false;
    return worth;
  }

  /** As much was claimed as there was room for, or there was no room. */
  noteMore(id: string): void {
    const busy = this.#busy.get(id);
    if (busy !== undefined) busy.more = true;
  }
}
