import { ApiError } from '@till/contract';
import type { Clock } from '../lib/clock.ts';
import { Bulkhead } from '../lib/waiting/bulkhead.ts';
import { Lines } from '../lib/waiting/lines.ts';
import type { Suspend } from '../lib/waiting/suspend.ts';

/** Imports running or queued, by account and in all: each may hold a file in memory. */
const limits = { each: 4, all: 16 };

/** How often, and how long apart, an import is tried that another process is in the way of. */
const maxTries = 60;
const retryDelayMs = 1000;

interface Importer {
  readonly accountId: string;
  /** How its request waits. */
  readonly suspend: Suspend;
}

/**
 * Imports reports one after the other, the accounts in rotation: each holds a connection for as long as it takes, and those of one
 * account would wait for each other in the database, with all connections that payments need.
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
   * @param work returns undefined where another process imports a report of the account: it is tried again
   * @throws ApiError `service_unavailable` where too many wait already, or another process is long; what `work` throws
   */
  async run<T>({ accountId, suspend }: Importer, work: () => Promise<T | undefined>): Promise<T> {
    const leave = this.#imports.enter(accountId);
    if (leave === null) throw tooMany();
    try {
      // Of each account only the first stands in the line of all.
      return await suspend(() => this.#accounts.queued(accountId, () => this.#inLineOfAll(work)));
    } finally {
      leave();
    }
  }

  /** Between two tries the others go on. */
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
