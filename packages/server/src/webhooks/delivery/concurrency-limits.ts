interface Busy {
  running: number;
  /** The last claim took as many deliveries as the limit allowed, so more may be due. */
  more: boolean;
}

/** Counts the exchanges that run with each endpoint, or for each account, and computes how many more may start. */
export class ConcurrencyLimits {
  readonly #limit: (running: number, free: number) => number;
  readonly #busy = new Map<string, Busy>();

  /**
   * @param limit how many exchanges one endpoint or account may have at once, given how many it has running and how many
   *   slots of the lane are free
   */
  constructor(limit: (running: number, free: number) => number) {
    this.#limit = limit;
  }

  /** How many more exchanges an endpoint or account may start while `running` of its own are in flight. */
  remaining(free: number, running = 0): number {
    return Math.max(0, this.#limit(running, free) - running);
  }

  /** The same for every endpoint or account that has an exchange in flight. */
  remainingById(free: number): Record<string, number> {
    return Object.fromEntries(
      Array.from(this.#busy, ([id, { running }]) => [id, this.remaining(free, running)]),
    );
  }

  begin(id: string): void {
    const busy = this.#busy.get(id);
    if (busy === undefined) this.#busy.set(id, { running: 1, more: false });
    else busy.running += 1;
  }

  /**
   * @param free free slots of the lane, including the one that has just become free
   * @returns whether more may be due and enough capacity is free again for a claim to be worthwhile
   */
  end(id: string, free: number): boolean {
    const busy = this.#busy.get(id);
    if (busy === undefined) return false;
    busy.running -= 1;
    if (busy.running === 0) this.#busy.delete(id);
    const worth = busy.more && busy.running <= this.remaining(free, busy.running);
    if (worth) busy.more = false;
    return worth;
  }

  /** Notes that a claim took as many deliveries as the limit allowed, or that the limit allowed none. */
  noteSaturated(id: string): void {
    const busy = this.#busy.get(id);
    if (busy !== undefined) busy.more = true;
  }
}
