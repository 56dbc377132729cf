import type { HeldRequest } from './answered.ts';

/** What waits may take so much in all: about a thousand requests with short bodies, fewer with long ones. */
const maxWaiting = 8 * 1024 * 1024;
/** What a request takes beside its bodies: memory, and the work of writing it. */
const perRequest = 8 * 1024;
/** Of requests that were refused for their key so many of one account wait, and for their rate: more say no more. */
const maxRefused = 20;

const sizeOf = ({ body, answer }: HeldRequest) => perRequest + (body?.length ?? 0) + (answer?.length ?? 0);
const isRefusal = (status: number): status is 401 | 429 => status === 401 || status === 429;

interface Share {
  /** The oldest first. */
  readonly requests: HeldRequest[];
  size: number;
  /** By status. */
  readonly refused: Record<401 | 429, number>;
}

/**
 * Requests that wait for the writer. Every account has the same right to the room: what finds none takes it from the
 * account that has most, so that a busy one pushes out nobody's but its own.
 */
export class WaitingRequests {
  /** By account, in the order in which they are served. */
  readonly #shares = new Map<string, Share>();
  #size = 0;

  get isEmpty(): boolean {
    return this.#shares.size === 0;
  }

  /** Takes a request in. @returns how many were dropped for it, itself included */
  add(request: HeldRequest): number {
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

  /** Takes up to so many out, accounts round robin, the oldest of each first. */
  take(max: number): HeldRequest[] {
    const batch: HeldRequest[] = [];
    for (const [accountId, share] of this.#shares) {
      if (batch.length === max) break;
      const request = share.requests.shift();
      // To the end of the round robin.
      this.#shares.delete(accountId);
      if (share.requests.length > 0) this.#shares.set(accountId, share);
      if (request === undefined) continue;
      this.#grow(share, request, -1);
      batch.push(request);
    }
    return batch;
  }

  /** Of the account that has most its newest success, since people look for errors; else its newest request. */
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

  #grow(share: Share, request: HeldRequest, by: 1 | -1): void {
    const size = by * sizeOf(request);
    share.size += size;
    this.#size += size;
    if (isRefusal(request.status)) share.refused[request.status] += by;
  }
}
