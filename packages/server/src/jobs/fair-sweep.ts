import { type Provider, providers } from '@till/contract';
import { accountOnItsWay, isUnavailable, whyTooLong } from '../store/database.ts';
import type { Tenant, TenantId } from '../store/tenant.ts';

/** The due rows of one tenant that were taken at once. */
export interface Taken<Row> {
  readonly rows: readonly Row[];
  /** As much was taken as was asked for: more may be due. */
  readonly more: boolean;
}

export interface FairSweepOptions<Row> {
  /** How many rows are worked on at once, in all. */
  readonly places: number;
  /** How many of one tenant at most; absent: a quarter of the places that are free, and always one. */
  readonly perTenant?: number;
  /** The tenants after one of which something is due, in the order of their keys. */
  readonly dueTenants: (after: Tenant, max: number) => Promise<readonly Tenant[]>;
  /** Takes due rows of one tenant, so that nobody else works on them: each is begun at once. */
  readonly take: (tenant: Tenant, max: number) => Promise<Taken<Row>>;
  /** Works on a row and records how it ended, also where it failed: then it has to be due later. */
  readonly work: (row: Row, tenant: Tenant) => Promise<void>;
  /** Told of what `take` and `work` threw, and of the tenant that it was about. */
  readonly onError: (error: unknown, tenant: Tenant) => void;
}

/** Work found by polling for what is due. */
export interface Sweep {
  /** Finds the tenants with due rows and starts on them. Does not wait until they are done. */
  poll(): Promise<void>;
  /** Polls, and resolves once nothing is running and nothing more is due. @returns how many rows were worked on */
  run(): Promise<number>;
  /** Starts nothing more; resolves once nothing is running. */
  stop(): Promise<void>;
}

/** Tenants that are queued at most; the next poll begins after the last of them. */
const maxWaiting = 1000;
/** Rows taken of a tenant at once: few, so that each tenant is served before any is served at length. */
const quantum = 2;
/** The share of the free places that one tenant may hold: the others always find some. */
const share = 1 / 4;

/** Before all of them: numbers begin with 1. */
const start: Tenant = { tenant: 0 as TenantId, accountId: '', livemode: false };

/**
 * Works on the due rows of all tenants, a bounded number at once. Tenants are served round robin, a few rows each, so
 * a tenant with many rows, a slow processor or rows that fail delays no other.
 */
export class FairSweep<Row> implements Sweep {
  readonly #options: FairSweepOptions<Row>;
  /** The round robin: the first is served next. */
  readonly #waiting = new Map<TenantId, Tenant>();
  /** How many rows of each tenant are being worked on. */
  readonly #running = new Map<TenantId, number>();
  #busy = 0;
  #begun = 0;
  /** Where the next poll begins. */
  #after = start;
  #taking = false;
  #changedMeanwhile = false;
  #stopped = false;
  /** The tenant whose rows are being taken. */
  #serving: TenantId | undefined;
  #watching: (() => void)[] = [];

  constructor(options: FairSweepOptions<Row>) {
    this.#options = options;
  }

  async poll(): Promise<void> {
    const free = maxWaiting - this.#waiting.size;
    if (this.#stopped || free <= 0) return;
    const found = await this.#options.dueTenants(this.#after, free);
    this.#after = (found.length < free ? undefined : found.at(-1)) ?? start;
    for (const tenant of found) this.add(tenant);
  }

  /** Something of this tenant may be due. */
  add(tenant: Tenant): void {
    if (this.#stopped) return;
    this.#waiting.set(tenant.tenant, tenant);
    void this.#serveAll();
  }

  async run(): Promise<number> {
    const before = this.#begun;
    do {
      await this.poll();
      await this.#whenIdle();
    } while (this.#after !== start);
    return this.#begun - before;
  }

  /** Resolves once nothing of one tenant is running and nothing more of it is due, whatever others do. */
  async drain(tenant: Tenant): Promise<void> {
    const key = tenant.tenant;
    this.add(tenant);
    while (this.#waiting.has(key) || this.#running.has(key) || this.#serving === key) await this.#change();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#waiting.clear();
    await this.#whenIdle();
  }

  async #serveAll(): Promise<void> {
    this.#changedMeanwhile = true;
    if (this.#taking) return;
    this.#taking = true;
    while (this.#changedMeanwhile) {
      this.#changedMeanwhile = false;
      for (const [key, tenant] of this.#waiting) {
        const free = this.#freeFor(key);
        if (free > 0) await this.#serve(key, tenant, Math.min(free, quantum));
      }
    }
    this.#taking = false;
    this.#changed();
  }

  #freeFor(key: TenantId): number {
    const free = this.#options.places - this.#busy;
    const max = this.#options.perTenant ?? Math.max(1, Math.floor(free * share));
    return Math.min(free, max - (this.#running.get(key) ?? 0));
  }

  async #serve(key: TenantId, tenant: Tenant, max: number): Promise<void> {
    if (!this.#waiting.delete(key)) return;
    this.#serving = key;
    try {
      const { rows, more } = await this.#options.take(tenant, max);
      for (const row of rows) void this.#begin(key, tenant, row);
      // At the end of the round.
      if (more) this.add(tenant);
    } catch (error) {
      // The next poll finds them again.
      const isOwn = whyTooLong(error) === 'statement' || accountOnItsWay(error) !== undefined;
      if (isUnavailable(error) && !isOwn) this.#waiting.clear();
      this.#options.onError(error, tenant);
    }
    this.#serving = undefined;
  }

  async #begin(key: TenantId, tenant: Tenant, row: Row): Promise<void> {
    this.#begun += 1;
    this.#busy += 1;
    this.#running.set(key, (this.#running.get(key) ?? 0) + 1);
    try {
      await this.#options.work(row, tenant);
    } catch (error) {
      this.#options.onError(error, tenant);
    }
    this.#busy -= 1;
    const left = (this.#running.get(key) ?? 1) - 1;
    if (left > 0) this.#running.set(key, left);
    else this.#running.delete(key);
    void this.#serveAll();
    this.#changed();
  }

  async #whenIdle(): Promise<void> {
    while (this.#taking || this.#busy > 0) await this.#change();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#watching.push(resolve));
  }

  #changed(): void {
    for (const resolve of this.#watching.splice(0)) resolve();
  }
}

/**
 * A queue of its own for each processor, so that one that hangs takes no place from the other.
 * @param before run at the start of each poll
 */
export const perProcessor = (queueOf: (processor: Provider) => Sweep, before?: () => Promise<void>): Sweep =>
  together(providers.map(queueOf), before);

/** Queues that are polled at the same time. @param before run at the start of each poll */
export function together(queues: readonly Sweep[], before: () => Promise<void> = async () => {}): Sweep {
  return {
    async poll() {
      await before();
      await Promise.all(queues.map((queue) => queue.poll()));
    },
    async run() {
      await before();
      const counts = await Promise.all(queues.map((queue) => queue.run()));
      return counts.reduce((sum, count) => sum + count, 0);
    },
    async stop() {
      await Promise.all(queues.map((queue) => queue.stop()));
    },
  };
}
