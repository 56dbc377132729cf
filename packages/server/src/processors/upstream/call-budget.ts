/** Limits how many calls may be made for one key in a window of time. */
export interface CallBudget {
  /** @param of the key, such as an account id. @returns false if the key's calls in this window are used up */
  readonly take: (of: string) => boolean;
}

/** When the map has this many keys, those with an expired window are removed. */
const maxKept = 1_000;

/** Counts calls in windows of a fixed length: at most `max` in each, for each key. */
export function callBudget(
  deps: { now(): Date },
  { max, windowMs }: { readonly max: number; readonly windowMs: number },
): CallBudget {
  const windows = new Map<string, { readonly since: number; used: number }>();
  return {
    take(of) {
      const now = deps.now().getTime();
      // A clock that was set back also starts a new window.
      const isOver = ({ since }: { readonly since: number }) => now < since || now - since >= windowMs;
      const present = windows.get(of);
      if (present !== undefined && !isOver(present)) {
        if (present.used >= max) return false;
        present.used += 1;
        return true;
      }
      if (windows.size >= maxKept) {
        for (const [key, one] of windows) if (isOver(one)) windows.delete(key);
      }
      windows.set(of, { since: now, used: 1 });
      return true;
    },
  };
}
