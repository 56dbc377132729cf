import type { Clock } from '../../lib/clock.ts';

/** Aborts what has not ended after a time that is the same for all. One timer serves them all: they end in order. */
export class Deadlines {
  readonly #clock: Clock;
  readonly #ms: number;
  /** When each is due, on the monotonic clock; in the order in which they began. */
  readonly #due = new Map<AbortController, number>();
  readonly #closed = new AbortController();
  #watching = false;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** @returns a controller that is aborted at the deadline unless it is ended before */
  begin(): AbortController {
    const controller = new AbortController();
    this.#due.set(controller, this.#clock.elapsed() + this.#ms);
    if (!this.#watching) void this.#watch();
    return controller;
  }

  end(controller: AbortController): void {
    this.#due.delete(controller);
  }

  /** Watches nothing more, so that the process may end. */
  close(): void {
    this.#due.clear();
    this.#closed.abort();
  }

  async #watch(): Promise<void> {
    this.#watching = true;
    for (let [first] = this.#due; first !== undefined; [first] = this.#due) {
      const [controller, due] = first;
      const left = due - this.#clock.elapsed();
      if (left > 0) {
        await this.#clock.delay(left, this.#closed.signal);
      } else {
        this.#due.delete(controller);
        controller.abort();
      }
    }
    this.#watching = false;
  }
}
