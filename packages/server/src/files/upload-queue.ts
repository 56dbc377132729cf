import { ApiError } from '@till/contract';
import { Bulkhead } from '../lib/waiting/bulkhead.ts';
import type { Suspend } from '../lib/waiting/suspend.ts';

/** The maximum number of uploads running or queued, per account and in total, because each holds its file in memory. */
const limits = { each: 32, all: 64 };

interface Uploader {
  readonly accountId: string;
  /** Releases the request's place while it waits in the queue. */
  readonly suspend: Suspend;
}

/**
 * Stores the files of one account one after the other. Concurrent ones would all wait for the account's row lock, each holding a
 * database connection.
 */
export class UploadQueue {
  readonly #uploads = new Bulkhead(limits);
  /** The end of the last upload of each account. */
  readonly #last = new Map<string, Promise<void>>();

  /**
   * Runs `keep` once the account's earlier uploads have ended.
   * @throws ApiError `service_unavailable` if too many wait already; also the error of `keep`
   */
  async run<T>({ accountId, suspend }: Uploader, keep: () => Promise<T>): Promise<T> {
    const leave = this.#uploads.enter(accountId);
    if (leave === null) throw tooMany();
    const before = this.#last.get(accountId);
    let end = () => {};
    const mine = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#last.set(accountId, mine);
    try {
      if (before !== undefined) await suspend(() => before);
      return await keep();
    } finally {
      leave();
      end();
      if (this.#last.get(accountId) === mine) this.#last.delete(accountId);
    }
  }
}

const tooMany = () =>
  new ApiError('service_unavailable', 'Too many files are being uploaded. This one was not kept: retry it.', {
    retryAfterSeconds: 1,
  });
