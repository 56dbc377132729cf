import { type Provider, providers } from '@till/contract';
import { isUnavailable, movingAccount, timeoutKind } from '../store/database.ts';
import type { Tenant, TenantId } from '../store/tenant.ts';

/** The due rows of one tenant that one call of `take` claimed. */
export interface Taken<Row> {
  readonly rows: readonly Row[];
  /** True if as many rows were taken as requested, so that more may be due. */
  readonly more: boolean;
}

export interface FairSweepOptions<Row> {
  /** How many rows of all tenants are processed concurrently. */
  readonly places: number;
  /** The maximum for one tenant; by default a quarter of the free places, but at least one. */
  readonly perTenant?: number;
  /** Finds tenants with due rows, after the given tenant and in the order of their numbers. */
  readonly dueTenants: (after: Tenant, max: number) => Promise<readonly Tenant[]>;
  /** Claims due rows of one tenant, so that no other process works on them. Work on each of them begins at once. */
  readonly take: (tenant: Tenant, max: number) => Promise<Taken<Row>>;
  /** Processes a row and records the outcome. After a failure it has to make the row due at a later time. */
  readonly work: (row: Row, tenant: Tenant) => Promise<void>;
  /** Called with an error that `take` or `work` threw, and with the tenant. */
  readonly onError: (error: unknown, tenant: Tenant) => void;
}

/** Background work that polls for due rows. */
export interface Sweep {
  /** Finds the tenants with due rows and starts to process them. Does not wait for the end. */
  poll(): Promise<void>;
  /** Polls, and resolves once nothing is running and nothing more is due. @returns the number of processed rows */
  run(): Promise<number>;
  /** Starts nothing more; resolves once nothing is running. */
  stop(): Promise<void>;
}

/** The maximum number of queued tenants. The next poll begins after the last one. */
const maxWaiting = 1000;
/** How many rows of a tenant are claimed at once: few, so that a tenant with many rows does not delay the others. */
const quantum = 2;
/** The share of the free places that one tenant may use, so that places are left for the others. */
const share = 1 / 4;

/** Stands before the first tenant: tenant numbers begin with 1. */
const start: Tenant = { tenant: 0 as TenantId, accountId: '', livemode: false };

/**
 * Processes the due rows of all tenants, with bounded concurrency. Tenants are served round robin, a few rows each, so that a
 * tenant with many rows, a slow processor or failing rows does not delay the others.
 */
export class FairSweep<Row> implements Sweep {
  readonly #options: FairSweepOptions<Row>;
  /** The round-robin queue: the first tenant is served next. */
  readonly #waiting = new Map<TenantId, Tenant>();
  /** The number of rows in progress for each tenant. */
  readonly #running = new Map<TenantId, number>();
  #busy = 0;
  #begun = 0;
  /** The tenant after which the next poll begins. */
  #after = start;
  #taking = false;
  #changedMeanwhile = false;
  #stopped = false;
  /** The tenant for which `take` is running. */
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

  /** Queues a tenant that may have due rows. */
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

  /** Resolves once one tenant has nothing running and nothing more due, independently of other tenants. */
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
      // The tenant goes to the end of the queue.
      if (more) this.add(tenant);
    } catch (error) {
      // If the database is away, all tenants are dropped from the queue: the next poll finds them again.
      const isOwn = timeoutKind(error) === 'statement' || movingAccount(error) !== undefined;
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
 * Creates a separate queue for each processor, so that a processor that hangs takes no places from the other.
 * @param before runs at the start of each poll
 */
export const perProcessor = (queueOf: (processor: Provider) => Sweep, before?: () => Promise<void>): Sweep =>
  together(providers.map(queueOf), before);

/** Combines queues into one that polls them concurrently. @param before runs at the start of each poll */
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
