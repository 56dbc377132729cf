import type { Suspend } from '../../lib/waiting/suspend.ts';

/** A request's place among the requests that are worked on, until it leaves. */
export interface Place {
  /** The request now waits for its client: it counts neither as worked on nor as in flight. */
  pause(): void;
  /** @param go called once the request may be worked on again, at once if a place is free */
  resume(go: () => void): void;
  /** Waits without counting as worked on; the request stays in flight. Without a place to release it just waits. */
  readonly suspend: Suspend;
  /** Gives the place to the next request. A second call does nothing. */
  leave(): void;
}

/** The place of a health check, which takes no place from other requests. */
export const unboundedPlace: Place = {
  pause: () => {},
  resume: (go) => go(),
  suspend: (wait) => wait(),
  leave: () => {},
};

/** How many requests are in flight (`admitted`), and how many of these wait for something else, such as a processor. */
export interface Counts {
  admitted: number;
  suspended: number;
}

/** The callbacks of a place to the admission. */
export interface PlaceEvents {
  /** Called when a place became free, so that others may be admitted. */
  readonly freed: () => void;
  /** Calls back at once if there is a free place, or else when one becomes free. */
  readonly whenFree: (enter: () => void) => void;
}

/** A counted place. Its holder may release and retake it any number of times, in any order. */
export class CountedPlace implements Place {
  readonly #counts: Counts;
  readonly #events: PlaceEvents;
  #state: 'working' | 'paused' | 'over' = 'working';
  /** How many concurrent waits the request has. */
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
