export interface ApplyJob {
  /** Applies the due notifications. A call during a run gets the result of the next run, which starts right after it. */
  readonly run: () => Promise<number>;
  /** Starts a run soon; nobody waits for it. */
  readonly wake: () => void;
  /** Ignores further calls of `wake`; resolves once no run is in progress. */
  readonly stop: () => Promise<void>;
}

/** Runs `work` sequentially: there are never two runs at once in this process. */
export function createApplyJob(work: () => Promise<number>, onError: (error: unknown) => void): ApplyJob {
  let current: Promise<number> | undefined;
  let next: Promise<number> | undefined;
  let stopped = false;

  const begin = (): Promise<number> => {
    current = work().finally(() => {
      current = undefined;
    });
    return current;
  };
  const run = (): Promise<number> => {
    if (current === undefined) return begin();
    next ??= current
      .catch(() => 0)
      .then(() => {
        next = undefined;
        return run();
      });
    return next;
  };

  return {
    run,
    wake() {
      if (!stopped && next === undefined) run().catch(onError);
    },
    async stop() {
      stopped = true;
      await Promise.allSettled([current, next]);
    },
  };
}
