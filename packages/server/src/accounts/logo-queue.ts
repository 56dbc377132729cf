import { ApiError } from '@till/contract';
import { Bulkhead } from '../lib/waiting/bulkhead.ts';
import { Lines } from '../lib/waiting/lines.ts';
import type { Suspend } from '../lib/waiting/suspend.ts';
import { readLogoFile } from './logo.ts';
import type { Picture } from './picture.ts';

/** The maximum number of logos being read or queued, per account and in total, because each holds its file in memory. */
const limits = { each: 4, all: 16 };

interface Uploader {
  readonly accountId: string;
  /** Releases the request's place while it waits in the queue. */
  readonly suspend: Suspend;
}

/**
 * Reads uploaded logos one after the other, the accounts in rotation. Each occupies a thread of the pool, which Node also uses for
 * files, host names and keys, and up to 32 MB of memory.
 */
export class LogoQueue {
  readonly #uploads = new Bulkhead(limits);
  readonly #accounts = new Lines();
  readonly #all = new Lines();
  readonly #readFile: typeof readLogoFile;

  constructor(readFile = readLogoFile) {
    this.#readFile = readFile;
  }

  /** @throws ApiError as `readLogoFile`; `service_unavailable` if too many wait already */
  async read({ accountId, suspend }: Uploader, file: Uint8Array): Promise<Picture> {
    const leave = this.#uploads.enter(accountId);
    if (leave === null) throw tooMany();
    try {
      const inLineOfAll = () => this.#all.queued('logos', () => this.#readFile(file));
      // Only the first upload of each account stands in the line of all.
      return await suspend(() => this.#accounts.queued(accountId, inLineOfAll));
    } finally {
      leave();
    }
  }
}

const tooMany = () =>
  new ApiError('service_unavailable', 'Too many logos are being uploaded: retry this one.', {
    retryAfterSeconds: 1,
  });
