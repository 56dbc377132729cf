import { CountedPlace, type Counts, unboundedPlace } from './place.ts';
import { type Decide, type LineClock, WaitingLine } from './waiting-line.ts';
import { WaitingTimes } from './waiting-times.ts';

/** What gives way to what where there is too much to do: payments before the rest, health checks before everything. */
export type Importance = 'money' | 'ordinary' | 'vital';

export interface AdmissionLimits {
  /** Requests worked on at once. Those that wait for a processor are not counted. */
  readonly working: number;
  /** Places among these that only `money` may take. */
  readonly reserved: number;
  /** How many of each importance may wait for a place while the queue is short-lived. */
  readonly queued: number;
  /** Requests under way in all, those that wait for anything but their body included: a protection of memory only. */
  readonly open: number;
}

export interface AdmissionDependencies extends LineClock {
  readonly limits: AdmissionLimits;
}

/** What only `money` may take of the requests under way in all. */
const moneyShare = 0.25;

type Bounded = Exclude<Importance, 'vital'>;

/**
 * Bounds what is worked on at once, so that more requests than the machine can bear make nobody slow. A burst may wait
 * for its turn; where the queue does not become shorter by itself, only as many may wait as come to their turn soon, and
 * the others are refused at once, before anything was done for them. Who waits is served in turn by flow (`flows.ts`), and
 * in overload each flow has its share of those who may wait.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #elapsed: () => number;
  readonly #times: WaitingTimes;
  readonly #lines: Readonly<Record<Bounded, WaitingLine>>;
  readonly #counts: Counts = { admitted: 0, suspended: 0 };
  /** Places are being given to those that wait. */
  #isLettingIn = false;

  constructor({ limits, ...clock }: AdmissionDependencies) {
    this.#limits = limits;
    this.#elapsed = clock.elapsed;
    this.#times = new WaitingTimes(limits.working + 1.25 * limits.queued);
    this.#lines = { money: new WaitingLine(clock), ordinary: new WaitingLine(clock) };
  }

  /** Requests that are worked on at this moment. */
  get working(): number {
    return this.#counts.admitted - this.#counts.suspended;
  }

  /** Requests that wait for a place. */
  get queued(): number {
    return this.#lines.money.length + this.#lines.ordinary.length;
  }

  /** Requests that were let in and wait for something else, such as a processor. */
  get waiting(): number {
    return this.#counts.suspended;
  }

  /** Why a request that comes now is refused at once; null where it gets a place or waits for one. */
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
    this.#times.refused(now);
    return 'full';
  }

  /**
   * Asks for a place.
   * @param flow whose request it is: those of different flows are served in turn
   * @param decide called at once, or when a place comes free or none does in time
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
      this.#times.came(this.#elapsed(), this.queued === 0);
      this.#lines[importance].push(flow, decide);
    }
  }

  #hasPlace(importance: Bounded): boolean {
    const { working, reserved } = this.#limits;
    return this.working < (importance === 'money' ? working : Math.max(1, working - reserved));
  }

  #admit(importance: Bounded, flow: string, decide: Decide): void {
    const place = new CountedPlace(this.#counts, {
      freed: () => this.#letIn(),
      whenFree: (enter) =>
        this.#hasPlace(importance) ? enter() : this.#lines[importance].pushReturning(flow, enter),
    });
    decide(place);
  }

  /** A request may leave its place at once: the loop that runs already sees that, and no other is nested in it. */
  #letIn(): void {
    if (this.#isLettingIn) return;
    this.#isLettingIn = true;
    try {
      while (this.#serve('money') || this.#serve('ordinary'));
    } finally {
      this.#isLettingIn = false;
    }
    this.#shed(this.#lines.money);
    this.#shed(this.#lines.ordinary);
  }

  /** Gives a place to the next of this importance. @returns false where none waits or there is no place */
  #serve(importance: Bounded): boolean {
    const next = this.#hasPlace(importance) ? this.#lines[importance].shift() : undefined;
    if (next === undefined) return false;
    if (typeof next === 'function') {
      next();
    } else {
      this.#times.turn(this.#elapsed(), next.waitedMs);
      this.#admit(importance, next.flow, next.decide);
    }
    return true;
  }

  /** A burst that turned out to be overload: the requests that waited longest would be answered too late anyway. */
  #shed(line: WaitingLine): void {
    if (line.length === 0) return;
    const max = this.#times.maxWaiting(this.#elapsed());
    if (line.length > 2 * max) line.shed(max);
  }
}
