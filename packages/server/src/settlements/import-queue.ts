import { ApiError } from '@till/contract';
import type { Clock } from '../lib/clock.ts';
import { Bulkhead } from '../lib/waiting/bulkhead.ts';
import { Lines } from '../lib/waiting/lines.ts';
import type { Suspend } from '../lib/waiting/suspend.ts';

/** Limits of running and queued imports, per account and in total, because each may hold a file in memory. */
const limits = { each: 4, all: 16 };

/** Number of tries and delay between them for an import that another process blocks. */
const maxTries = 60;
const retryDelayMs = 1000;

interface Importer {
  readonly accountId: string;
  /** Suspends the request while it waits. */
  readonly suspend: Suspend;
}

/**
 * Runs imports one at a time, round robin over the accounts. An import holds a database connection until it ends, and concurrent
 * imports of one account would block each other in the database, each holding a connection that payments need.
 */
export class ImportQueue {
  readonly #imports = new Bulkhead(limits);
  readonly #accounts = new Lines();
  readonly #all = new Lines();
  readonly #clock: Pick<Clock, 'delay'>;

  constructor(clock: Pick<Clock, 'delay'>) {
    this.#clock = clock;
  }

  /**
   * @param work returns undefined if another process imports a report of the account; it is then retried
   * @throws ApiError `service_unavailable` if too many imports wait or the other process takes too long; also whatever `work`
   *   throws
   */
  async run<T>({ accountId, suspend }: Importer, work: () => Promise<T | undefined>): Promise<T> {
    const leave = this.#imports.enter(accountId);
    if (leave === null) throw tooMany();
    try {
      // Only the first import of each account enters the queue of all accounts.
      return await suspend(() => this.#accounts.queued(accountId, () => this.#inLineOfAll(work)));
    } finally {
      leave();
    }
  }

  /** Leaves the queue between two tries, so that other imports proceed. */
  async #inLineOfAll<T>(work: () => Promise<T | undefined>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      const done = await this.#all.queued('imports', work);
      if (done !== undefined) return done;
      if (tries === maxTries) throw tooMany();
      await this.#clock.delay(retryDelayMs);
    }
  }
}

const tooMany = () =>
  new ApiError('service_unavailable', 'Too many reports are being imported. This one was not: retry it.', {
    retryAfterSeconds: 5,
  });
