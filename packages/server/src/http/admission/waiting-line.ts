import { FairQueue } from './fair-queue.ts';
import type { Place } from './place.ts';

/**
 * Why a request was refused: `full`, the queue is full; `waited`, no place became free in time; `open`, too many requests are in
 * flight in total; `bodies`, too many bodies of its client are awaited; `left`, its client has disconnected; `storage`, it would
 * write and there is no disk space.
 */
export type Refusal = 'full' | 'waited' | 'open' | 'bodies' | 'left' | 'storage';

export type Decide = (outcome: Place | Refusal) => void;

interface Waiting {
  readonly decide: Decide;
  readonly since: number;
}

/** A request that gets the next place. `waitedMs` is infinite if its wait says nothing about the queue. */
export interface NextRequest {
  readonly flow: string;
  readonly decide: Decide;
  readonly waitedMs: number;
}

/** The longest wait for a place. While no request at all gets a place, it is `stallMs`. */
const maxWaitMs = 10_000;
const stallMs = 1_000;
/** How often the waiting requests are checked, with one timer for all of them. */
const checkIntervalMs = 250;

export interface LineClock {
  readonly delay: (ms: number) => Promise<void>;
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number;
}

/** The requests of one importance that wait for a place. Their flows are served round robin. */
export class WaitingLine {
  readonly #clock: LineClock;
  readonly #queue = new FairQueue<Waiting>();
  /** Requests that were admitted before and waited for their client. They come first. */
  readonly #returning = new FairQueue<() => void>();
  /** When a request last got a place. */
  #movedAt = Number.NEGATIVE_INFINITY;
  #isWatched = false;

  constructor(clock: LineClock) {
    this.#clock = clock;
  }

  /** How many requests wait for their first admission. */
  get length(): number {
    return this.#queue.length;
  }

  /** Whether fewer requests of a flow wait than its share of `places`. */
  hasShareLeft(flow: string, places: number): boolean {
    return this.#queue.lengthOf(flow) < this.#queue.shareOf(flow, places);
  }

  /** @param decide called with `waited` if no place becomes free in time */
  push(flow: string, decide: Decide): void {
    this.#queue.push(flow, { decide, since: this.#clock.elapsed() });
    if (!this.#isWatched) void this.#watch();
  }

  /** @param enter called when a place becomes free */
  pushReturning(flow: string, enter: () => void): void {
    this.#returning.push(flow, enter);
  }

  /** Removes the next request: one that returns if there is any, or else one that was not admitted yet. */
  shift(): (() => void) | NextRequest | undefined {
    const returning = this.#returning.shift();
    if (returning !== undefined) return returning.item;
    const next = this.#queue.shift();
    if (next === undefined) return undefined;
    this.#movedAt = this.#clock.elapsed();
    // The wait of a small flow says nothing about a queue that a large flow fills.
    const waitedMs = next.isLarge ? this.#movedAt - next.item.since : Number.POSITIVE_INFINITY;
    return { flow: next.flow, decide: next.item.decide, waitedMs };
  }

  /** Refuses the requests that waited longest, until about `places` are left. */
  shed(places: number): void {
    for (const { decide } of this.#queue.shed(places)) decide('waited');
  }

  /** Periodically refuses requests that waited too long, until none waits. */
  async #watch(): Promise<void> {
    this.#isWatched = true;
    while (this.#queue.length > 0) {
      await this.#clock.delay(checkIntervalMs);
      const now = this.#clock.elapsed();
      const maxMs = now - this.#movedAt >= stallMs ? stallMs : maxWaitMs;
      for (const { decide } of this.#queue.removeWhere(({ since }) => now - since >= maxMs)) decide('waited');
    }
    this.#isWatched = false;
  }
}
