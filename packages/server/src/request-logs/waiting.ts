import type { BufferedRequest } from './answered.ts';

/** Maximum size of the buffer in bytes: about a thousand requests with short bodies, or fewer with long ones. */
const maxWaiting = 8 * 1024 * 1024;
/** Size that a request counts in addition to its bodies, for its memory and the work of writing it. */
const perRequest = 8 * 1024;
/** How many requests of one account with status 401 are buffered, and how many with 429. More would add no information. */
const maxRefused = 20;

const sizeOf = ({ body, answer }: BufferedRequest) =>
  perRequest + (body?.length ?? 0) + (answer?.length ?? 0);
const isRefusal = (status: number): status is 401 | 429 => status === 401 || status === 429;

interface Share {
  /** Oldest first. */
  readonly requests: BufferedRequest[];
  size: number;
  /** Number of buffered requests by status. */
  readonly refused: Record<401 | 429, number>;
}

/**
 * The buffer of requests that wait for the writer. Accounts share it fairly: a request that does not fit displaces one of the
 * account that takes most of it, so that a busy account displaces only its own requests.
 */
export class WaitingRequests {
  /** Shares by account id, in round robin order. */
  readonly #shares = new Map<string, Share>();
  #size = 0;

  get isEmpty(): boolean {
    return this.#shares.size === 0;
  }

  /** Adds a request. @returns how many requests were dropped because of it, possibly including itself */
  add(request: BufferedRequest): number {
    const { accountId, status } = request;
    const share = this.#shares.get(accountId) ?? { requests: [], size: 0, refused: { 401: 0, 429: 0 } };
    if (isRefusal(status) && share.refused[status] >= maxRefused) return 1;
    this.#shares.set(accountId, share);
    share.requests.push(request);
    this.#grow(share, request, 1);
    let dropped = 0;
    for (; this.#size > maxWaiting; dropped += 1) this.#dropOne();
    return dropped;
  }

  /** Removes up to `max` requests, round robin over the accounts, the oldest of each first. */
  take(max: number): BufferedRequest[] {
    const batch: BufferedRequest[] = [];
    for (const [accountId, share] of this.#shares) {
      if (batch.length === max) break;
      const request = share.requests.shift();
      // Move the account to the end of the round robin.
      this.#shares.delete(accountId);
      if (share.requests.length > 0) this.#shares.set(accountId, share);
      if (request === undefined) continue;
      this.#grow(share, request, -1);
      batch.push(request);
    }
    return batch;
  }

  /** Drops from the largest share its newest success, because people look for errors, or else its newest request. */
  #dropOne(): void {
    const accountId = this.#largest();
    const share = this.#shares.get(accountId);
    if (share === undefined) return;
    const success = share.requests.findLastIndex(({ status }) => status < 400);
    const [request] = share.requests.splice(success === -1 ? share.requests.length - 1 : success, 1);
    if (request !== undefined) this.#grow(share, request, -1);
    if (share.requests.length === 0) this.#shares.delete(accountId);
  }

  #largest(): string {
    let [found, max] = ['', 0];
    for (const [accountId, { size }] of this.#shares) if (size > max) [found, max] = [accountId, size];
    return found;
  }

  #grow(share: Share, request: BufferedRequest, by: 1 | -1): void {
    const size = by * sizeOf(request);
    share.size += size;
    this.#size += size;
    if (isRefusal(request.status)) share.refused[request.status] += by;
  }
}
