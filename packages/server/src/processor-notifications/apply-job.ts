export interface ApplyJob {
  /** Applies what is due. A call during a run gets the result of the next one, which begins right after it. */
  readonly run: () => Promise<number>;
  /** Runs soon, without anybody who waits for it. */
  readonly wake: () => void;
  /** Takes no more calls of `wake`; resolves once nothing runs. */
  readonly stop: () => Promise<void>;
}

/** Lets one run of `work` follow the other, never two at once in this process. */
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
