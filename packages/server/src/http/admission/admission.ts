import { CountedPlace, type Counts, unboundedPlace } from './place.ts';
import { type Decide, type LineClock, WaitingLine } from './waiting-line.ts';
import { WaitingTimes } from './waiting-times.ts';

/** The priority of a request in overload: `money` (payments) comes before the rest, `vital` (health checks) before everything. */
export type Importance = 'money' | 'ordinary' | 'vital';

export interface AdmissionLimits {
  /** How many requests may be worked on concurrently. Requests that wait for a processor are not counted. */
  readonly working: number;
  /** How many of these places only `money` may take. */
  readonly reserved: number;
  /** How many requests of each importance may wait for a place while the queue is short-lived. */
  readonly queued: number;
  /** The maximum of all requests in flight, including those that wait for anything but their body. It only protects memory. */
  readonly open: number;
}

export interface AdmissionDependencies extends LineClock {
  readonly limits: AdmissionLimits;
}

/** The share of all requests in flight that is reserved for `money`. */
const moneyShare = 0.25;

type Bounded = Exclude<Importance, 'vital'>;

/**
 * Bounds how many requests are worked on concurrently, so that overload does not slow down every request. A burst may queue. If
 * the queue does not drain by itself, only as many may wait as get a place soon; the others are refused at once, before any work
 * is done for them. Places go round robin to the waiting flows (`flows.ts`), and in overload each flow has a share of the queue.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #elapsed: () => number;
  readonly #times: WaitingTimes;
  readonly #lines: Readonly<Record<Bounded, WaitingLine>>;
  readonly #counts: Counts = { admitted: 0, suspended: 0 };
  /** Whether places are currently being given to waiting requests. */
  #isAdmitting = false;

  constructor({ limits, ...clock }: AdmissionDependencies) {
    this.#limits = limits;
    this.#elapsed = clock.elapsed;
    this.#times = new WaitingTimes(limits.working + 1.25 * limits.queued);
    this.#lines = { money: new WaitingLine(clock), ordinary: new WaitingLine(clock) };
  }

  /** How many requests are being worked on. */
  get working(): number {
    return this.#counts.admitted - this.#counts.suspended;
  }

  /** How many requests wait for a place. */
  get queued(): number {
    return this.#lines.money.length + this.#lines.ordinary.length;
  }

  /** How many admitted requests wait for something else, such as a processor. */
  get waiting(): number {
    return this.#counts.suspended;
  }

  /** Why a request that arrives now would be refused at once; null if it gets a place or waits for one. */
  wouldRefuse(importance: Importance, flow: string): 'open' | 'full' | null {
    if (importance === 'vital') return null;
    const { open, queued } = this.#limits;
    const room = importance === 'money' ? open : Math.max(1, Math.floor(open * (1 - moneyShare)));
    if (this.#counts.admitted + this.queued >= room) return 'open';
    const line = this.#lines[importance];
    if (line.length === 0 && this.#hasPlace(importance)) return null;
    const now = this.#elapsed();
    const max = Math.min(queued, this.#times.maxWaiting(now));
    if (line.length < max) return null;
    if (line.length < 2 * queued && line.hasShareLeft(flow, max)) return null;
    this.#times.recordRefusal(now);
    return 'full';
  }

  /**
   * Asks for a place.
   * @param flow the flow of the request: different flows are served round robin
   * @param decide called at once, or when a place becomes free, or when the wait times out
   */
  enter(importance: Importance, flow: string, decide: Decide): void {
    const refusal = this.wouldRefuse(importance, flow);
    if (refusal !== null) {
      decide(refusal);
    } else if (importance === 'vital') {
      decide(unboundedPlace);
    } else if (this.#lines[importance].length === 0 && this.#hasPlace(importance)) {
      this.#admit(importance, flow, decide);
    } else {
      this.#times.recordArrival(this.#elapsed(), this.queued === 0);
      this.#lines[importance].push(flow, decide);
    }
  }

  #hasPlace(importance: Bounded): boolean {
    const { working, reserved } = this.#limits;
    return this.working < (importance === 'money' ? working : Math.max(1, working - reserved));
  }

  #admit(importance: Bounded, flow: string, decide: Decide): void {
    const place = new CountedPlace(this.#counts, {
      freed: () => this.#admitWaiting(),
      whenFree: (enter) =>
        this.#hasPlace(importance) ? enter() : this.#lines[importance].pushReturning(flow, enter),
    });
    decide(place);
  }

  /** Admitted requests may free their place at once, which calls this again; the loop already running then serves that place. */
  #admitWaiting(): void {
    if (this.#isAdmitting) return;
    this.#isAdmitting = true;
    try {
      while (this.#serve('money') || this.#serve('ordinary'));
    } finally {
      this.#isAdmitting = false;
    }
    this.#shed(this.#lines.money);
    this.#shed(this.#lines.ordinary);
  }

  /** Gives a place to the next request of this importance. @returns false if no request waits or there is no free place */
  #serve(importance: Bounded): boolean {
    const next = this.#hasPlace(importance) ? this.#lines[importance].shift() : undefined;
    if (next === undefined) return false;
    if (typeof next === 'function') {
      next();
    } else {
      this.#times.recordServed(this.#elapsed(), next.waitedMs);
      this.#admit(importance, next.flow, next.decide);
    }
    return true;
  }

  /** Sheds requests after a burst turned out to be overload. Those that waited longest would be answered too late anyway. */
  #shed(line: WaitingLine): void {
    if (line.length === 0) return;
    const max = this.#times.maxWaiting(this.#elapsed());
    if (line.length > 2 * max) line.shed(max);
  }
}
