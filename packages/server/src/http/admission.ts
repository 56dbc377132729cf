import { WaitingTimes } from './waiting-times.ts';

/** What gives way to what where there is too much to do: payments before the rest, health checks before everything. */
export type Importance = 'money' | 'ordinary' | 'vital';

/**
 * Why a request was not let in: `full`, nowhere to wait; `waited`, no place came free in time; `open`, too many under
 * way in all; `left`, its client had gone; `storage`, it would write and there is no room.
 */
export type Refusal = 'full' | 'waited' | 'open' | 'left' | 'storage';

export interface AdmissionLimits {
  /** Requests worked on at once. Those that wait for a processor are not counted. */
  readonly working: number;
  /** Places among these that only `money` may take. */
  readonly reserved: number;
  /** How many of each importance may wait for a place while the queue is short-lived. */
  readonly queued: number;
  /** Requests under way in all, those that wait for anything included. */
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
  /** From now on the request waits for its client, and is not worked on. */
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

/** Longer than this nobody waits for a place: an answer at once is better than one that comes too late. */
const longestWaitMs = 1_000;

/**
 * Bounds what is worked on at once, so that more requests than the machine can bear make nobody slow. A burst may wait
 * for its turn; where the queue does not become shorter by itself, only as many may wait as come to their turn soon, and
 * the others are refused at once, before anything was done for them.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #delay: AdmissionParts['delay'];
  readonly #elapsed: () => number;
  readonly #times = new WaitingTimes();
  readonly #queues: Readonly<Record<'money' | 'ordinary', Waiting[]>> = { money: [], ordinary: [] };
  /** Were let in before and come first. */
  readonly #returning: (() => void)[] = [];
  #admitted = 0;
  #outside = 0;

  constructor({ limits, delay, elapsed }: AdmissionParts) {
    this.#limits = limits;
    this.#delay = delay;
    this.#elapsed = elapsed;
  }

  /** Requests that are worked on at this moment. */
  get working(): number {
    return Math.max(0, this.#admitted - this.#outside);
  }

  /** Requests that wait for a place. */
  get queued(): number {
    return this.#queues.money.length + this.#queues.ordinary.length;
  }

  /** Why a request that comes now is refused at once; null where it gets a place or waits for one. */
  wouldRefuse(importance: Importance): 'open' | 'full' | null {
    if (importance === 'vital') return null;
    if (this.#admitted + this.queued >= this.#limits.open) return 'open';
    const { length } = this.#queues[importance];
    if (length === 0 && this.#hasPlace(importance)) return null;
    const now = this.#elapsed();
    if (length < Math.min(this.#limits.queued, this.#times.mostWaiting(now))) return null;
    this.#times.refused(now);
    return 'full';
  }

  /**
   * Asks for a place.
   * @param decide told at once or within a second
   */
  enter(importance: Importance, decide: Decide): void {
    const refusal = this.wouldRefuse(importance);
    const queue = importance === 'vital' ? [] : this.#queues[importance];
    if (refusal !== null) decide(refusal);
    else if (importance === 'vital' || (queue.length === 0 && this.#hasPlace(importance)))
      this.#admit(decide);
    else this.#wait(queue, decide);
  }

  /** Runs what a request waits for and this process does not work on, such as a processor's answer. */
  async outside<T>(work: () => Promise<T>): Promise<T> {
    this.#stepOut();
    try {
      return await work();
    } finally {
      this.#outside -= 1;
    }
  }

  #stepOut(): void {
    this.#outside += 1;
    this.#letIn();
  }

  #hasPlace(importance: 'money' | 'ordinary'): boolean {
    const { working, reserved } = this.#limits;
    return this.working < (importance === 'money' ? working : Math.max(1, working - reserved));
  }

  #admit(decide: Decide): void {
    this.#admitted += 1;
    let state: 'working' | 'paused' | 'over' = 'working';
    const goOn = () => {
      state = 'working';
      this.#outside -= 1;
    };
    decide({
      pause: () => {
        if (state !== 'working') return;
        state = 'paused';
        this.#stepOut();
      },
      resume: (go) => {
        if (state !== 'paused') return go();
        const enter = () => {
          if (state !== 'paused') return;
          goOn();
          go();
        };
        if (this.#hasPlace('money')) enter();
        else this.#returning.push(enter);
      },
      leave: () => {
        if (state === 'over') return;
        if (state === 'paused') goOn();
        state = 'over';
        this.#admitted -= 1;
        this.#letIn();
      },
    });
  }

  #wait(queue: Waiting[], decide: Decide): void {
    const waiting: Waiting = { decide, since: this.#elapsed(), over: new AbortController() };
    queue.push(waiting);
    void this.#giveUpLater(queue, waiting);
  }

  async #giveUpLater(queue: Waiting[], waiting: Waiting): Promise<void> {
    await this.#delay(longestWaitMs, waiting.over.signal);
    const place = queue.indexOf(waiting);
    if (place === -1) return;
    queue.splice(place, 1);
    waiting.decide('waited');
  }

  #letIn(): void {
    while (this.#returning.length > 0 && this.#hasPlace('money')) this.#returning.shift()?.();
    for (const importance of ['money', 'ordinary'] as const) {
      const queue = this.#queues[importance];
      while (queue.length > 0 && this.#hasPlace(importance)) {
        const next = queue.shift();
        if (next === undefined) break;
        next.over.abort();
        const now = this.#elapsed();
        this.#times.turn(now, now - next.since);
        this.#admit(next.decide);
      }
    }
  }
}
