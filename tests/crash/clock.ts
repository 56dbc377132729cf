import type { Clock } from '../../packages/server/src/lib/clock.ts';

/** Real time that can be moved forward. A move fires the timers that end within it at once. */
export class MovableClock implements Clock {
  #shiftMs: number;
  readonly #sleepers = new Set<() => void>();

  constructor(shiftMs = 0) {
    this.#shiftMs = shiftMs;
  }

  get shiftMs(): number {
    return this.#shiftMs;
  }

  readonly now = (): Date => new Date(Date.now() + this.#shiftMs);
  readonly elapsed = (): number => performance.now() + this.#shiftMs;
  readonly delay = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const due = this.elapsed() + ms;
      let timer: NodeJS.Timeout | undefined;
      const end = () => {
        clearTimeout(timer);
        this.#sleepers.delete(look);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const look = () => {
        clearTimeout(timer);
        const left = due - this.elapsed();
        if (left <= 0) end();
        else timer = setTimeout(end, left);
      };
      this.#sleepers.add(look);
      signal?.addEventListener('abort', end, { once: true });
      if (signal?.aborted === true) end();
      else look();
    });

  move(ms: number): void {
    this.moveTo(this.#shiftMs + ms);
  }

  /** @param shiftMs the new difference to real time */
  moveTo(shiftMs: number): void {
    this.#shiftMs = shiftMs;
    for (const look of this.#sleepers) look();
  }
}
