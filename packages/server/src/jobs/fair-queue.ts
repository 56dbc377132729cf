import { type Provider, providers } from '@till/contract';
import { isUnavailable, whyTooLong } from '../store/database.ts';
import type { Tenant, TenantId } from '../store/tenant.ts';

/** What a tenant's turn took. */
export interface Taken<Row> {
  readonly rows: readonly Row[];
  /** As much was taken as was asked for: more may be due. */
  readonly more: boolean;
}

export interface FairQueueOptions<Row> {
  /** How many rows are worked on at once, in all. */
  readonly places: number;
  /** How many of one tenant at most; absent: a quarter of the places that are free, and always one. */
  readonly perTenant?: number;
  /** The tenants after one of which something is due, in the order of their keys. */
  readonly dueTenants: (after: Tenant, most: number) => Promise<readonly Tenant[]>;
  /** Takes due rows of one tenant, so that nobody else works on them: each is begun at once. */
  readonly take: (tenant: Tenant, most: number) => Promise<Taken<Row>>;
  /** Works on a row and records how it ended, also where it failed: then it has to be due later. */
  readonly work: (row: Row, tenant: Tenant) => Promise<void>;
  /** Told of what `take` and `work` threw, and of the tenant that it was about. */
  readonly onError: (error: unknown, tenant: Tenant) => void;
}

/** Due work that is looked for again and again. */
export interface Sweep {
  /** Finds out who has something due and begins with it. Does not wait until it is done. */
  look(): Promise<void>;
  /** Looks, and resolves once nothing is under way and nothing more is due. @returns how many rows were worked on */
  run(): Promise<number>;
  /** Begins nothing more; resolves once nothing is under way. */
  stop(): Promise<void>;
}

/** Tenants that wait for their turn at most; a look goes on behind the last of them. */
const mostWaiting = 1000;
/** Rows of one turn: few, so that everybody has had one before anybody has many. */
const perTurn = 2;
/** Of the places that are free a tenant may hold this share: however many it could use, others find some. */
const share = 1 / 4;

/** Before all of them: numbers begin with 1. */
const start: Tenant = { tenant: 0 as TenantId, accountId: '', livemode: false };

/**
 * Works on the due rows of all tenants, a bounded number at once. Tenants take turns with a few rows each, so it does not
 * matter how many rows another tenant has, how slow its processor is, or whether its rows fail: as soon as a place is
 * free the next tenant has its turn.
 */
export class FairQueue<Row> implements Sweep {
  readonly #options: FairQueueOptions<Row>;
  /** In the order of their turns. */
  readonly #waiting = new Map<TenantId, Tenant>();
  /** How many rows of each tenant are being worked on. */
  readonly #running = new Map<TenantId, number>();
  #busy = 0;
  #begun = 0;
  /** Where the next look begins. */
  #after = start;
  #taking = false;
  #stirred = false;
  #stopped = false;
  /** Whose rows are being taken. */
  #turning: TenantId | undefined;
  #watching: (() => void)[] = [];

  constructor(options: FairQueueOptions<Row>) {
    this.#options = options;
  }

  async look(): Promise<void> {
    const room = mostWaiting - this.#waiting.size;
    if (this.#stopped || room <= 0) return;
    const found = await this.#options.dueTenants(this.#after, room);
    this.#after = (found.length < room ? undefined : found.at(-1)) ?? start;
    for (const tenant of found) this.add(tenant);
  }

  /** Something of this tenant may be due. */
  add(tenant: Tenant): void {
    if (this.#stopped) return;
    this.#waiting.set(tenant.tenant, tenant);
    void this.#takeTurns();
  }

  async run(): Promise<number> {
    const before = this.#begun;
    do {
      await this.look();
      await this.#whenIdle();
    } while (this.#after !== start);
    return this.#begun - before;
  }

  /** Resolves once nothing of one tenant is under way and nothing more of it is due, whatever others do. */
  async drain(tenant: Tenant): Promise<void> {
    const key = tenant.tenant;
    this.add(tenant);
    while (this.#waiting.has(key) || this.#running.has(key) || this.#turning === key) await this.#change();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#waiting.clear();
    await this.#whenIdle();
  }

  async #takeTurns(): Promise<void> {
    this.#stirred = true;
    if (this.#taking) return;
    this.#taking = true;
    while (this.#stirred) {
      this.#stirred = false;
      for (const [key, tenant] of this.#waiting) {
        const room = this.#roomOf(key);
        if (room > 0) await this.#turn(key, tenant, Math.min(room, perTurn));
      }
    }
    this.#taking = false;
    this.#changed();
  }

  #roomOf(key: TenantId): number {
    const free = this.#options.places - this.#busy;
    const most = this.#options.perTenant ?? Math.max(1, Math.floor(free * share));
    return Math.min(free, most - (this.#running.get(key) ?? 0));
  }

  async #turn(key: TenantId, tenant: Tenant, most: number): Promise<void> {
    if (!this.#waiting.delete(key)) return;
    this.#turning = key;
    try {
      const { rows, more } = await this.#options.take(tenant, most);
      for (const row of rows) void this.#begin(key, tenant, row);
      // At the end of the line.
      if (more) this.add(tenant);
    } catch (error) {
      // The next look finds everybody again.
      if (isUnavailable(error) && whyTooLong(error) !== 'statement') this.#waiting.clear();
      this.#options.onError(error, tenant);
    }
    this.#turning = undefined;
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
    void this.#takeTurns();
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
 * @param before what each look begins with
 */
export const perProcessor = (queueOf: (processor: Provider) => Sweep, before?: () => Promise<void>): Sweep =>
  together(providers.map(queueOf), before);

/** Queues that are looked through at the same time. @param before what each look begins with */
export function together(queues: readonly Sweep[], before: () => Promise<void> = async () => {}): Sweep {
  return {
    async look() {
      await before();
      await Promise.all(queues.map((queue) => queue.look()));
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
