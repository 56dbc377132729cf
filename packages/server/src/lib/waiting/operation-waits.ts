import type { Clock } from '../clock.ts';
import { Bulkhead } from './bulkhead.ts';
import type { Suspend } from './suspend.ts';

/** How long a request waits for other operations on the same thing in all. */
const waitMs = 25_000;
/** How many may wait for one thing to be free, and for whatever things of one account. */
const maxWaiters = 10;
const waitLimits = { each: 50, all: 200 };
/** Another process may end the operation: look this often even if nobody in this process says so. */
const firstPollMs = 250;
const maxPollMs = 1_000;

/** What a request waits for. */
export interface AwaitedOperation {
  readonly accountId: string;
  /** Id of the payment or dispute that another operation holds. */
  readonly id: string;
  /** The deadline, of the monotonic clock. */
  readonly deadline: number;
  /** Whether to try again. It only reads: everybody who waits asks it, again and again. */
  readonly isOver: () => Promise<boolean>;
  /** How the request waits. */
  readonly suspend: Suspend;
}

/** Requests that wait for another operation on the same payment or dispute to end, bounded for each and each account. */
export class OperationWaits {
  readonly #clock: Pick<Clock, 'delay' | 'elapsed'>;
  readonly #accounts = new Bulkhead(waitLimits);
  /** By id. */
  readonly #waiting = new Map<string, Set<AbortController>>();

  constructor(clock: Pick<Clock, 'delay' | 'elapsed'>) {
    this.#clock = clock;
  }

  /** The deadline of a request that comes now: one for all its waits. */
  deadline(): number {
    return this.#clock.elapsed() + waitMs;
  }

  /** Whether as many wait for it as may, so that a further request need not even try. */
  isFull(id: string): boolean {
    return (this.#waiting.get(id)?.size ?? 0) >= maxWaiters;
  }

  /** @returns false where too many wait already, or the deadline passes first */
  async wait({ accountId, id, deadline, isOver, suspend }: AwaitedOperation): Promise<boolean> {
    if (this.isFull(id)) return false;
    const leave = this.#accounts.enter(accountId);
    if (leave === null) return false;
    const woken = new AbortController();
    const waiters = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, waiters.add(woken));
    try {
      for (let pollMs = firstPollMs; ; pollMs = Math.min(maxPollMs, 2 * pollMs)) {
        const left = deadline - this.#clock.elapsed();
        if (left <= 0) return false;
        await suspend(() => this.#clock.delay(Math.min(pollMs, left), woken.signal));
        if (woken.signal.aborted || (await isOver())) return true;
      }
    } finally {
      leave();
      waiters.delete(woken);
      if (waiters.size === 0) this.#waiting.delete(id);
    }
  }

  /** Wakes those who wait for a payment or dispute, whose operation has just ended or was left without an answer. */
  ended(id: string): void {
    for (const woken of this.#waiting.get(id) ?? []) woken.abort();
  }
}
