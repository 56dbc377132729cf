/** Time as a dependency: business code never reads the wall clock directly. */
export interface Clock {
  readonly now: () => Date;
  /** Milliseconds of a monotonic clock, for durations only. */
  readonly elapsed: () => number;
  /** Resolves after `ms` milliseconds, or at once when `signal` aborts. */
  readonly delay: (ms: number, signal?: AbortSignal) => Promise<void>;
}

export const systemClock: Clock = {
  now: () => new Date(),
  elapsed: () => performance.now(),
  delay: (ms, signal) =>
    new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      if (signal?.aborted === true) end();
      else signal?.addEventListener('abort', end, { once: true });
    }),
};

/** Waits for one iteration of the event loop, not for a time. By then, all requests that arrived in one packet are parsed. */
export const nextIteration = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The Unix seconds of a moment, used in `created` fields. */
export const unixSeconds = (moment: Date): number => Math.floor(moment.getTime() / 1000);

/** ISO 8601 in UTC with seconds and without fractions, e.g. `2026-11-20T12:00:00Z`. */
export const isoSeconds = (moment: Date): string => `${moment.toISOString().slice(0, 19)}Z`;
