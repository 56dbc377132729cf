import { FairQueue } from './fair-queue.ts';
import type { Place } from './place.ts';

/**
 * Why a request was not let in: `full`, nowhere to wait; `waited`, no place came free in time; `open`, too many under
 * way in all; `bodies`, too many bodies of its client are awaited; `left`, its client had gone; `storage`, it would write
 * and there is no room.
 */
export type Refusal = 'full' | 'waited' | 'open' | 'bodies' | 'left' | 'storage';

export type Decide = (outcome: Place | Refusal) => void;

interface Waiting {
  readonly decide: Decide;
  readonly since: number;
}

/** A request whose turn it is. `waitedMs`: infinite where it says nothing about the queue. */
export interface Turn {
  readonly flow: string;
  readonly decide: Decide;
  readonly waitedMs: number;
}

/** Nobody waits for a place for longer than this, and only for `stallMs` where nobody else gets one either. */
const maxWaitMs = 10_000;
const stallMs = 1_000;
/** How often those that wait are looked at: one timer for all of them. */
const checkIntervalMs = 250;

export interface LineClock {
  readonly delay: (ms: number) => Promise<void>;
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number;
}

/** Those of one importance that wait for a place, served in turn by flow. */
export class WaitingLine {
  readonly #clock: LineClock;
  readonly #queue = new FairQueue<Waiting>();
  /** Were let in before, waited for their client, and come first. */
  readonly #returning = new FairQueue<() => void>();
  /** When a request last got its turn. */
  #movedAt = Number.NEGATIVE_INFINITY;
  #isWatched = false;

  constructor(clock: LineClock) {
    this.#clock = clock;
  }

  /** How many wait that were not let in yet. */
  get length(): number {
    return this.#queue.length;
  }

  /** Whether a flow has less than its share of `places` waiting. */
  hasShareLeft(flow: string, places: number): boolean {
    return this.#queue.lengthOf(flow) < this.#queue.shareOf(flow, places);
  }

  /** @param decide called with `waited` where no place comes free in time */
  push(flow: string, decide: Decide): void {
    this.#queue.push(flow, { decide, since: this.#clock.elapsed() });
    if (!this.#isWatched) void this.#watch();
  }

  /** @param enter called when a place comes free */
  pushReturning(flow: string, enter: () => void): void {
    this.#returning.push(flow, enter);
  }

  /** The next: one that returns, or one that was not let in yet. */
  shift(): (() => void) | Turn | undefined {
    const returning = this.#returning.shift();
    if (returning !== undefined) return returning.item;
    const next = this.#queue.shift();
    if (next === undefined) return undefined;
    this.#movedAt = this.#clock.elapsed();
    // How long the small ones wait says nothing about a queue that a large one fills.
    const waitedMs = next.isLarge ? this.#movedAt - next.item.since : Number.POSITIVE_INFINITY;
    return { flow: next.flow, decide: next.item.decide, waitedMs };
  }

  /** Refuses the requests that waited longest, until about `places` are left. */
  shed(places: number): void {
    for (const { decide } of this.#queue.shed(places)) decide('waited');
  }

  /** Refuses those that waited too long, until nobody waits. */
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
