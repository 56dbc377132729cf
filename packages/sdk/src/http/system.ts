/** Time as the client needs it; a test passes one that it moves by hand. */
export interface Clock {
  now(): Date;
  /** Calls `task` after `ms` milliseconds. @returns a function that cancels it */
  after(ms: number, task: () => void): () => void;
}

/** The part of a response that is read. */
export interface FetchAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

/** Sends requests: the global `fetch`, or a compatible function. */
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

/** What a client takes from its runtime. */
export interface System {
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** At least 0, below 1. */
  readonly random: () => number;
  readonly newIdempotencyKey: () => string;
}

export const system: System = {
  // Looked up at each call, so that a later replacement of the global takes effect.
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
