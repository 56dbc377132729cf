import type { Clock } from '../../lib/clock.ts';

/** What is aborted at its deadline unless it has ended before. */
export interface Deadline {
  /** On the monotonic clock. */
  readonly due: number;
  readonly abort: () => void;
  passed: boolean;
}

/** Aborts what has not ended after a time that is the same for all. One timer serves them all: they end in order. */
export class Deadlines {
  readonly #clock: Clock;
  readonly #ms: number;
  /** In the order in which they began. */
  readonly #watched = new Set<Deadline>();
  readonly #closed = new AbortController();
  #watching = false;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** @param abort called at the deadline, unless it is ended before */
  begin(abort: () => void): Deadline {
    const deadline = { due: this.#clock.elapsed() + this.#ms, abort, passed: false };
    this.#watched.add(deadline);
    if (!this.#watching) void this.#watch();
    return deadline;
  }

  end(deadline: Deadline): void {
    this.#watched.delete(deadline);
  }

  /** Watches nothing more, so that the process may end. */
  close(): void {
    this.#watched.clear();
    this.#closed.abort();
  }

  async #watch(): Promise<void> {
    this.#watching = true;
    for (let [first] = this.#watched; first !== undefined; [first] = this.#watched) {
      const left = first.due - this.#clock.elapsed();
      if (left > 0) {
        await this.#clock.delay(left, this.#closed.signal);
      } else {
        this.#watched.delete(first);
        first.passed = true;
        first.abort();
      }
    }
    this.#watching = false;
  }
}
