import type { ClaimedDelivery } from './delivery-store.ts';

/** At most this many suspects are held in memory. Further ones wait in the database. */
const max = 256;
/** At most this many suspects of one account are held in memory, so that there is room for other accounts. */
const maxPerAccount = 64;
/** At most this many suspects are tried concurrently, one per account. */
const maxAtOnce = 16;

/**
 * Retries suspects, which are deliveries whose earlier attempt never ended, a few at a time and one per account. After a
 * crash most of them did nothing wrong, and a receiver that hangs delays only its own account. A suspect that was tried
 * here before and did not end is tried alone: should it crash the process again, no other delivery is blamed for it.
 * Accounts are served round robin.
 */
export class Suspects {
  readonly #run: (delivery: ClaimedDelivery) => Promise<void>;
  readonly #stopping: AbortSignal;
  /** Waiting suspects by account. The first account in the map that has none running is served next. */
  readonly #waiting = new Map<string, ClaimedDelivery[]>();
  /** Ids of the suspects that wait or are being tried. Once the lease of one is over, a claim finds it again. */
  readonly #known = new Set<string>();
  /** The running attempt of each account. */
  readonly #running = new Map<string, Promise<void>>();
  #all: Promise<void> | undefined;
  #added = () => {};

  /** @param run attempts one suspect and reports its own errors */
  constructor(run: (delivery: ClaimedDelivery) => Promise<void>, stopping: AbortSignal) {
    this.#run = run;
    this.#stopping = stopping;
  }

  add(delivery: ClaimedDelivery): void {
    const own = this.#waiting.get(delivery.account_id) ?? [];
    if (this.#known.has(delivery.id) || this.#known.size >= max || own.length >= maxPerAccount) return;
    this.#known.add(delivery.id);
    this.#waiting.set(delivery.account_id, [...own, delivery]);
    this.#added();
    this.#all ??= this.#runAll();
  }

  /** Resolves once no suspect is being tried. */
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

  /** Resolves once a running suspect has ended or another one is added. */
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
      // The account goes to the end of the round.
      if (rest.length > 0) this.#waiting.set(account, rest);
      return first;
    }
    return undefined;
  }
}
