/** Time as the client needs it; a test passes one that it moves by hand. */
export interface Clock {
  now(): Date;
  /** Calls `act` after `ms` milliseconds. @returns what keeps it from being called */
  after(ms: number, act: () => void): () => void;
}

/** The part of an answer that is read. */
export interface FetchAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

/** What sends requests: the global `fetch`, or one with the same habits. */
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

/** What a client takes from its surroundings. */
export interface System {
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** At least 0, below 1. */
  readonly random: () => number;
  readonly newIdempotencyKey: () => string;
}

export const system: System = {
  // Looked up at each call, so that whoever replaces the global is heard.
  fetch: (url, request) => globalThis.fetch(url, request),
  clock: {
    now: () => new Date(),
    after: (ms, act) => {
      const timer = setTimeout(act, ms);
      return () => clearTimeout(timer);
    },
  },
  random: () => Math.random(),
  newIdempotencyKey: () => globalThis.crypto.randomUUID(),
};
