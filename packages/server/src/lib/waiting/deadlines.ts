export interface DeadlineClock {
  /** Resolves after `ms` milliseconds, or at once when `signal` aborts. */
  readonly delay: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number;
}

/** Calls back for what takes too long. All of it may take equally long, so that one timer serves however many there are. */
export class Deadlines<T> {
  readonly #clock: DeadlineClock;
  readonly #ms: number;
  readonly #onLate: (item: T) => void;
  /** Since when, the oldest first. */
  readonly #waiting = new Map<T, number>();
  readonly #closed = new AbortController();
  #isWatched = false;

  /** @param ms milliseconds that each may take @param onLate called once for each that took longer */
  constructor(clock: DeadlineClock, ms: number, onLate: (item: T) => void) {
    this.#clock = clock;
    this.#ms = ms;
    this.#onLate = onLate;
  }

  add(item: T): void {
    this.#waiting.set(item, this.#clock.elapsed());
    if (!this.#isWatched && !this.#closed.signal.aborted) void this.#watch();
  }

  /** It came in time. */
  delete(item: T): void {
    this.#waiting.delete(item);
  }

  /** Watches nothing more: the process would not end before the timer. */
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

  /** @returns milliseconds that the oldest has left */
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
