import type { Clock } from '../clock.ts';
import { Bulkhead } from './bulkhead.ts';
import type { Suspend } from './suspend.ts';

/** How long a request waits in total for other operations on the same payment or dispute. */
const waitMs = 25_000;
/** How many requests may wait for one payment or dispute; `waitLimits` bounds the waits per account and in total. */
const maxWaiters = 10;
const waitLimits = { each: 50, all: 200 };
/** Another process may end the operation without notifying this process, so waiting requests also poll at these intervals. */
const firstPollMs = 250;
const maxPollMs = 1_000;

/** An operation for which a request waits. */
export interface AwaitedOperation {
  readonly accountId: string;
  /** The id of the payment or dispute that another operation holds. */
  readonly id: string;
  /** The deadline, as a time of the monotonic clock. */
  readonly deadline: number;
  /** Whether the operation is over, so that the request may retry. It must only read, because all waiting requests poll it. */
  readonly isOver: () => Promise<boolean>;
  /** Releases the request's place while it waits. */
  readonly suspend: Suspend;
}

/** Lets requests wait for another operation on the same payment or dispute to end, bounded per resource and per account. */
export class OperationWaits {
  readonly #clock: Pick<Clock, 'delay' | 'elapsed'>;
  readonly #accounts = new Bulkhead(waitLimits);
  /** The waiting requests by the id of the payment or dispute. */
  readonly #waiting = new Map<string, Set<AbortController>>();

  constructor(clock: Pick<Clock, 'delay' | 'elapsed'>) {
    this.#clock = clock;
  }

  /** The deadline of a request that arrives now; all its waits share it. */
  deadline(): number {
    return this.#clock.elapsed() + waitMs;
  }

  /** Whether the maximum number of requests wait for this id, so that a further request need not even try. */
  isFull(id: string): boolean {
    return (this.#waiting.get(id)?.size ?? 0) >= maxWaiters;
  }

  /** Waits until the operation is over. @returns false if too many wait already, or if the deadline passes first */
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

  /** Wakes the requests that wait for a payment or dispute. Call it when its operation ended or was left without an answer. */
  ended(id: string): void {
    for (const woken of this.#waiting.get(id) ?? []) woken.abort();
  }
}
