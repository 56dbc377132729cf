import type { ClaimedDelivery } from './delivery-store.ts';

/** Beyond this number they wait in the database. */
const most = 256;
/** Of one account, so that the others find room. */
const mostOfOne = 64;

/**
 * Deliveries whose earlier attempt never ended, tried one after another: should one of them end the process, the others are not
 * counted as having done so. Accounts are served round robin, so that none waits for all of another one’s, whose receiver may hang.
 */
export class Suspects {
  readonly #run: (delivery: ClaimedDelivery) => Promise<void>;
  readonly #stopping: AbortSignal;
  /** By account; the first is served next. */
  readonly #waiting = new Map<string, ClaimedDelivery[]>();
  /** Those that wait, or are tried: a claim finds them again once their lease is over. */
  readonly #known = new Set<string>();
  #running: Promise<void> | undefined;

  /** @param run tries one, and reports its own errors */
  constructor(run: (delivery: ClaimedDelivery) => Promise<void>, stopping: AbortSignal) {
    this.#run = run;
    this.#stopping = stopping;
  }

  add(delivery: ClaimedDelivery): void {
    const own = this.#waiting.get(delivery.account_id) ?? [];
    if (this.#known.has(delivery.id) || this.#known.size >= most || own.length >= mostOfOne) return;
    this.#known.add(delivery.id);
    this.#waiting.set(delivery.account_id, [...own, delivery]);
    this.#running ??= this.#runAll().finally(() => {
      this.#running = undefined;
    });
  }

  /** Resolves once none is being tried. */
  async ended(): Promise<void> {
    await this.#running;
  }

  async #runAll(): Promise<void> {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      if (this.#stopping.aborted) return;
      await this.#run(next);
      this.#known.delete(next.id);
    }
  }

  #next(): ClaimedDelivery | undefined {
    for (const [account, [first, ...rest]] of this.#waiting) {
      this.#waiting.delete(account);
      // At the end of the round.
      if (rest.length > 0) this.#waiting.set(account, rest);
      return first;
    }
    return undefined;
  }
}
