import { ApiError } from '@till/contract';
import { Bulkhead } from '../lib/waiting/bulkhead.ts';
import { Lines } from '../lib/waiting/lines.ts';
import type { Suspend } from '../lib/waiting/suspend.ts';

/** Imports running or queued, by account and in all: each may hold a file in memory. */
const limits = { each: 4, all: 16 };

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

  /** @throws ApiError `service_unavailable` where too many wait already; what `work` throws */
  async run<T>({ accountId, suspend }: Importer, work: () => Promise<T>): Promise<T> {
    const leave = this.#imports.enter(accountId);
    if (leave === null) throw tooMany();
    try {
      // Of each account only the first stands in the line of all.
      return await suspend(() => this.#accounts.queued(accountId, () => this.#all.queued('imports', work)));
    } finally {
      leave();
    }
  }
}

const tooMany = () =>
  new ApiError('service_unavailable', 'Too many reports are being imported. This one was not: retry it.', {
    retryAfterSeconds: 5,
  });
