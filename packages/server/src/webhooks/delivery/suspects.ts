import type { ClaimedDelivery } from './delivery-store.ts';

/** Beyond this number they wait in the database. */
const max = 256;
/** Of one account, so that the others find room. */
const maxPerEndpoint = 64;
/** At once, one of each account. */
const maxAtOnce = 16;

/**
 * Deliveries whose earlier attempt never ended, tried a few at a time, one of each account: after a crash most did nothing
 * wrong, and a receiver that hangs holds up its own account only. One that was tried here and did not end is tried alone: should it
 * end the process again, no other is counted as having done so. Accounts are served round robin.
 */
export class Suspects {
  readonly #run: (delivery: ClaimedDelivery) => Promise<void>;
  readonly #stopping: AbortSignal;
  /** By account; the first that is not served is next. */
  readonly #waiting = new Map<string, ClaimedDelivery[]>();
  /** Those that wait, or are tried: a claim finds them again once their lease is over. */
  readonly #known = new Set<string>();
  /** By account. */
  readonly #running = new Map<string, Promise<void>>();
  #all: Promise<void> | undefined;
  #added = () => {};

  /** @param run tries one, and reports its own errors */
  constructor(run: (delivery: ClaimedDelivery) => Promise<void>, stopping: AbortSignal) {
    this.#run = run;
    this.#stopping = stopping;
  }

  add(delivery: ClaimedDelivery): void {
    const own = this.#waiting.get(delivery.account_id) ?? [];
    if (this.#known.has(delivery.id) || this.#known.size >= max || own.length >= maxPerEndpoint) return;
    this.#known.add(delivery.id);
    this.#waiting.set(delivery.account_id, [...own, delivery]);
    this.#added();
    this.#all ??= this.#runAll();
  }

  /** Resolves once none is being tried. */
  async ended(): Promise<void> {
    await this.#all;
  }

  async #runAll(): Promise<void> {
    while (!this.#stopping.aborted) {
      const next = this.#running.size < maxAtOnce ? this.#next() : undefined;
      if (next === undefined) {
        if (this.#running.size === 0) {
          this.#all = undefined;
          return;
        }
        await this.#change();
      } else if (next.crashes > 1) {
        await Promise.all(this.#running.values());
        await this.#try(next);
      } else {
        const account = next.account_id;
        this.#running.set(
          account,
          this.#try(next).finally(() => this.#running.delete(account)),
        );
      }
    }
    await Promise.all(this.#running.values());
  }

  /** Until one has ended, or another one is added. */
  async #change(): Promise<void> {
    const added = new Promise<void>((resolve) => {
      this.#added = resolve;
    });
    await Promise.race([added, ...this.#running.values()]);
  }

  async #try(delivery: ClaimedDelivery): Promise<void> {
    if (!this.#stopping.aborted) await this.#run(delivery);
    this.#known.delete(delivery.id);
  }

  #next(): ClaimedDelivery | undefined {
    for (const [account, [first, ...rest]] of this.#waiting) {
      if (this.#running.has(account)) continue;
      this.#waiting.delete(account);
      // At the end of the round.
      if (rest.length > 0) this.#waiting.set(account, rest);
      return first;
    }
    return undefined;
  }
}
