import type { Suspend } from '../../lib/waiting/suspend.ts';

/** A request's place among those that are worked on, until it leaves. */
export interface Place {
  /** From now on the request waits for its client: it is neither worked on nor under way. */
  pause(): void;
  /** @param go called once the request may be worked on again, at once where there is a place */
  resume(go: () => void): void;
  /** The request stays under way while it waits, but is not worked on. Without a place to give back it just waits. */
  readonly suspend: Suspend;
  /** Gives the place to the next. A second call does nothing. */
  leave(): void;
}

/** Health checks take no place from others, however many come. */
export const unboundedPlace: Place = {
  pause: () => {},
  resume: (go) => go(),
  suspend: (wait) => wait(),
  leave: () => {},
};

/** How many requests are under way, and how many of these wait for something else, such as a processor. */
export interface Counts {
  admitted: number;
  suspended: number;
}

/** What a place asks of the admission. */
export interface PlaceEvents {
  /** Others may be let in now. */
  readonly freed: () => void;
  /** Calls back at once where there is a place, else when one comes free. */
  readonly whenFree: (enter: () => void) => void;
}

/** A place that counts: given back and taken again by its holder only, however often and in whatever order. */
export class CountedPlace implements Place {
  readonly #counts: Counts;
  readonly #events: PlaceEvents;
  #state: 'working' | 'paused' | 'over' = 'working';
  /** What the request waits for at the same time. */
  #waits = 0;

  constructor(counts: Counts, events: PlaceEvents) {
    this.#counts = counts;
    this.#events = events;
    this.#count(1);
  }

  pause(): void {
    if (this.#state !== 'working') return;
    this.#state = 'paused';
    this.#release();
  }

  resume(go: () => void): void {
    if (this.#state !== 'paused') {
      go();
      return;
    }
    this.#events.whenFree(() => {
      if (this.#state !== 'paused') return;
      this.#state = 'working';
      this.#count(1);
      go();
    });
  }

  readonly suspend: Suspend = async (wait) => {
    if (this.#state !== 'working') return wait();
    this.#waits += 1;
    if (this.#waits === 1) {
      this.#counts.suspended += 1;
      this.#events.freed();
    }
    try {
      return await wait();
    } finally {
      this.#waits -= 1;
      if (this.#waits === 0 && this.#state === 'working') this.#counts.suspended -= 1;
    }
  };

  leave(): void {
    const wasWorking = this.#state === 'working';
    this.#state = 'over';
    if (wasWorking) this.#release();
  }

  #release(): void {
    this.#count(-1);
    this.#events.freed();
  }

  #count(by: 1 | -1): void {
    this.#counts.admitted += by;
    if (this.#waits > 0) this.#counts.suspended += by;
  }
}
