export interface DeadlineClock {
  /** Resolves after `ms` milliseconds, or at once when `signal` aborts. */
  readonly delay: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number;
}

/** Calls back for items that take too long. All items have the same timeout, so one timer serves any number of them. */
export class Deadlines<T> {
  readonly #clock: DeadlineClock;
  readonly #ms: number;
  readonly #onLate: (item: T) => void;
  /** The time at which each item was added, the oldest first. */
  readonly #waiting = new Map<T, number>();
  readonly #closed = new AbortController();
  #isWatched = false;

  /** @param ms the timeout of each item in milliseconds @param onLate called once for each item that takes longer */
  constructor(clock: DeadlineClock, ms: number, onLate: (item: T) => void) {
    this.#clock = clock;
    this.#ms = ms;
    this.#onLate = onLate;
  }

  add(item: T): void {
    this.#waiting.set(item, this.#clock.elapsed());
    if (!this.#isWatched && !this.#closed.signal.aborted) void this.#watch();
  }

  /** Removes an item that came in time. */
  delete(item: T): void {
    this.#waiting.delete(item);
  }

  /** Drops all items and cancels the timer, which would keep the process alive. */
  close(): void {
    this.#waiting.clear();
    this.#closed.abort();
  }

  async #watch(): Promise<void> {
    this.#isWatched = true;
    for (let remainingMs = this.#ms; this.#waiting.size > 0; remainingMs = this.#endLate())
      await this.#clock.delay(remainingMs, this.#closed.signal);
    this.#isWatched = false;
  }

  /** Calls back for late items. @returns the milliseconds that the oldest remaining item has left */
  #endLate(): number {
    const now = this.#clock.elapsed();
    for (const [item, since] of this.#waiting) {
      const remainingMs = since + this.#ms - now;
      if (remainingMs > 0) return remainingMs;
      this.#waiting.delete(item);
      this.#onLate(item);
    }
    return 0;
  }
}
