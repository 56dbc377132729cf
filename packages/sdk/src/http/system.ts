/** The clock and timer that the client uses. Tests can pass one that they advance by hand. */
export interface Clock {
  now(): Date;
  /**
   * Calls `task` after `ms` milliseconds.
   * @returns a function that cancels the timer
   */
  after(ms: number, task: () => void): () => void;
}

/** The part of a `fetch` response that the client reads. */
export interface FetchAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

/** Sends an HTTP request: the global `fetch` or a compatible function. */
export type Fetch = (
  url: string,
  request: {
    method: string;
    headers: Record<string, string>;
    redirect: 'manual';
    signal: AbortSignal;
    body?: string | FormData;
  },
) => Promise<FetchAnswer>;

/** What a client uses of its runtime environment. */
export interface System {
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** Returns a number from 0 up to but excluding 1. */
  readonly random: () => number;
  readonly newIdempotencyKey: () => string;
}

export const system: System = {
  // // Looks up the global at each call, so that replacing it later takes effect.
  fetch: (url, request) => globalThis.fetch(url, request),
  clock: {
    now: () => new Date(),
    after: (ms, task) => {
      const timer = setTimeout(task, ms);
      return () => clearTimeout(timer);
    },
  },
  random: () => Math.random(),
  newIdempotencyKey: () => globalThis.crypto.randomUUID(),
};
