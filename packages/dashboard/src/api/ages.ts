import { useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';

/** The age in seconds of responses that the server read from a standby, by the hash of their query. */
const ages = new Map<string, number>();

export function noteAge(queryHash: string, seconds: number | undefined): void {
  if (seconds === undefined) ages.delete(queryHash);
  else ages.set(queryHash, seconds);
}

/**
 * The age, in seconds at arrival, of the oldest standby response on the page; undefined if no response came from a
 * standby.
 */
export function useDataAge(): number | undefined {
  const cache = useQueryClient().getQueryCache();
  return useSyncExternalStore(
    (listener) => cache.subscribe(listener),
    () => {
      const shown = cache.findAll({ type: 'active' }).flatMap(({ queryHash }) => ages.get(queryHash) ?? []);
      return shown.length === 0 ? undefined : Math.max(...shown);
    },
  );
}
