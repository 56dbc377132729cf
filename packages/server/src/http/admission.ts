import { FairQueue } from './fair-queue.ts';
import { WaitingTimes } from './waiting-times.ts';

/** What gives way to what where there is too much to do: payments before the rest, health checks before everything. */
export type Importance = 'money' | 'ordinary' | 'vital';

/**
 * Why a request was not let in: `full`, nowhere to wait; `waited`, no place came free in time; `open`, too many under
 * way in all; `bodies`, too many bodies of its client are awaited; `left`, its client had gone; `storage`, it would write
 * and there is no room.
 */
export type Refusal = 'full' | 'waited' | 'open' | 'bodies' | 'left' | 'storage';

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

export interface AdmissionParts {
  readonly limits: AdmissionLimits;
  readonly delay: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number;
}

/** A request's place among those that are worked on, until it leaves. */
export interface Place {
  /** From now on the request waits for its client: it is neither worked on nor under way. */
  pause(): void;
  /** @param go called once the request may be worked on again, at once where there is a place */
  resume(go: () => void): void;
  /** Gives the place to the next. A second call does nothing. */
  leave(): void;
}

type Decide = (outcome: Place | Refusal) => void;

interface Waiting {
  readonly decide: Decide;
  readonly since: number;
  readonly over: AbortController;
}

/** Health checks take no place from others, however many come. */
const unboundedPlace: Place = { pause: () => {}, resume: (go) => go(), leave: () => {} };

/** Nobody waits for a place for longer than this, and only for `stallMs` where nobody else gets one either. */
const longestWaitMs = 10_000;
const stallMs = 1_000;
/** What only `money` may take of the requests under way in all. */
const moneyShare = 0.25;

type Bounded = Exclude<Importance, 'vital'>;

/** Those of one importance that wait, and when one of them last came to its turn. */
interface Line {
  readonly queue: FairQueue<Waiting>;
  /** Were let in before, waited for their client, and come first. */
  readonly returning: FairQueue<() => void>;
  movedAt: number;
}

const newLine = (): Line => ({
  queue: new FairQueue(),
  returning: new FairQueue(),
  movedAt: Number.NEGATIVE_INFINITY,
});

/**
 * Bounds what is worked on at once, so that more requests than the machine can bear make nobody slow. A burst may wait
 * for its turn; where the queue does not become shorter by itself, only as many may wait as come to their turn soon, and
 * the others are refused at once, before anything was done for them. Who waits is served in turn by flow (`flows.ts`), and
 * in overload each flow has its share of those who may wait.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #delay: AdmissionParts['delay'];
  readonly #elapsed: () => number;
  readonly #times: WaitingTimes;
  readonly #lines: Readonly<Record<Bounded, Line>> = { money: newLine(), ordinary: newLine() };
  #admitted = 0;
  #outside = 0;
  /** Places are being given to those that wait. */
  #isLettingIn = false;

  constructor({ limits, delay, elapsed }: AdmissionParts) {
    this.#limits = limits;
    this.#delay = delay;
    this.#elapsed = elapsed;
    this.#times = new WaitingTimes(limits.working + 1.25 * limits.queued);
  }

  /** Requests that are worked on at this moment. */
  get working(): number {
    return Math.max(0, this.#admitted - this.#outside);
  }

  /** Requests that wait for a place. */
  get queued(): number {
    return this.#lines.money.queue.length + this.#lines.ordinary.queue.length;
  }

  /** Requests that were let in and wait for something else, such as a processor. */
  get waiting(): number {
    return Math.min(this.#outside, this.#admitted);
  }

  /** Why a request that comes now is refused at once; null where it gets a place or waits for one. */
  wouldRefuse(importance: Importance, flow: string): 'open' | 'full' | null {
    if (importance === 'vital') return null;
    const { open, queued } = this.#limits;
    const room = importance === 'money' ? open : Math.max(1, Math.floor(open * (1 - moneyShare)));
    if (this.#admitted + this.queued >= room) return 'open';
    const { queue } = this.#lines[importance];
    if (queue.length === 0 && this.#hasPlace(importance)) return null;
    const now = this.#elapsed();
    const most = Math.min(queued, this.#times.mostWaiting(now));
    if (queue.length < most) return null;
    if (queue.length < 2 * queued && queue.lengthOf(flow) < queue.shareOf(flow, most)) return null;
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
    if (refusal !== null) decide(refusal);
    else if (importance === 'vital') decide(unboundedPlace);
    else if (this.#lines[importance].queue.length === 0 && this.#hasPlace(importance)) {
      this.#admit(importance, flow, decide);
    } else this.#wait(this.#lines[importance], flow, decide);
  }

  /** Runs what a request waits for and this process does not work on, such as a processor's answer. */
  async outside<T>(work: () => Promise<T>): Promise<T> {
    this.#outside += 1;
    try {
      this.#letIn();
      return await work();
    } finally {
      this.#outside -= 1;
    }
  }

  #hasPlace(importance: Bounded): boolean {
    const { working, reserved } = this.#limits;
    return this.working < (importance === 'money' ? working : Math.max(1, working - reserved));
  }

  #admit(importance: Bounded, flow: string, decide: Decide): void {
    this.#admitted += 1;
    let state: 'working' | 'paused' | 'over' = 'working';
    const release = () => {
      this.#admitted -= 1;
      this.#letIn();
    };
    decide({
      pause: () => {
        if (state !== 'working') return;
        state = 'paused';
        release();
      },
      resume: (go) => {
        if (state !== 'paused') return go();
        const enter = () => {
          if (state !== 'paused') return;
          state = 'working';
          this.#admitted += 1;
          go();
        };
        if (this.#hasPlace(importance)) enter();
        else this.#lines[importance].returning.push(flow, enter);
      },
      leave: () => {
        const wasWorking = state === 'working';
        state = 'over';
        if (wasWorking) release();
      },
    });
  }

  #wait(line: Line, flow: string, decide: Decide): void {
    const now = this.#elapsed();
    const waiting: Waiting = { decide, since: now, over: new AbortController() };
    this.#times.came(now, this.queued === 0);
    line.queue.push(flow, waiting);
    void this.#giveUpLater(line, flow, waiting);
  }

  async #giveUpLater(line: Line, flow: string, waiting: Waiting): Promise<void> {
    const { signal } = waiting.over;
    for (let waited = 0; waited < longestWaitMs; waited += stallMs) {
      await this.#delay(stallMs, signal);
      if (signal.aborted || this.#elapsed() - line.movedAt >= stallMs) break;
    }
    if (line.queue.remove(flow, waiting)) waiting.decide('waited');
  }

  /** Whoever gets a place may leave it at once: that is seen by the loop that runs already, and does not nest another. */
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
    if (!this.#hasPlace(importance)) return false;
    const line = this.#lines[importance];
    const returning = line.returning.shift();
    if (returning !== undefined) {
      returning.item();
      return true;
    }
    const next = line.queue.shift();
    if (next === undefined) return false;
    const now = this.#elapsed();
    line.movedAt = now;
    next.item.over.abort();
    // How long the small ones wait says nothing about a queue that a large one fills.
    this.#times.turn(now, next.isLarge ? now - next.item.since : Number.POSITIVE_INFINITY);
    this.#admit(importance, next.flow, next.item.decide);
    return true;
  }

  /** A burst that turned out to be overload: those who waited longest would hear too late anyway. */
  #shed({ queue }: Line): void {
    if (queue.length === 0) return;
    const most = this.#times.mostWaiting(this.#elapsed());
    if (queue.length <= 2 * most) return;
    for (const waiting of queue.shed(most)) {
      waiting.over.abort();
      waiting.decide('waited');
    }
  }
}
