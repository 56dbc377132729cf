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
  readonly over: AbortController;
}

/** A request whose turn it is. `waitedMs`: infinite where it says nothing about the queue. */
export interface Turn {
  readonly flow: string;
  readonly decide: Decide;
  readonly waitedMs: number;
}

/** Nobody waits for a place for longer than this, and only for `stallMs` where nobody else gets one either. */
const longestWaitMs = 10_000;
const stallMs = 1_000;
/** Without a reason each abort makes a DOMException with its stack. */
const decided = 'decided';

export interface LineClock {
  readonly delay: (ms: number, signal: AbortSignal) => Promise<void>;
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
    const waiting: Waiting = { decide, since: this.#clock.elapsed(), over: new AbortController() };
    this.#queue.push(flow, waiting);
    void this.#giveUpLater(flow, waiting);
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
    next.item.over.abort(decided);
    // How long the small ones wait says nothing about a queue that a large one fills.
    const waitedMs = next.isLarge ? this.#movedAt - next.item.since : Number.POSITIVE_INFINITY;
    return { flow: next.flow, decide: next.item.decide, waitedMs };
  }

  /** Refuses the requests that waited longest, until about `places` are left. */
  shed(places: number): void {
    for (const waiting of this.#queue.shed(places)) {
      waiting.over.abort(decided);
      waiting.decide('waited');
    }
  }

  async #giveUpLater(flow: string, waiting: Waiting): Promise<void> {
    const { signal } = waiting.over;
    for (let waited = 0; waited < longestWaitMs; waited += stallMs) {
      await this.#clock.delay(stallMs, signal);
      if (signal.aborted || this.#clock.elapsed() - this.#movedAt >= stallMs) break;
    }
    if (this.#queue.remove(flow, waiting)) waiting.decide('waited');
  }
}
