import { useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';

/** Of responses that were read from a standby: how many seconds old they were, by the hash of their query. */
const ages = new Map<string, number>();

export function noteAge(queryHash: string, seconds: number | undefined): void {
  if (seconds === undefined) ages.delete(queryHash);
  else ages.set(queryHash, seconds);
}

/** How old the oldest response was that the page shows, when it came, in seconds; undefined where none was. */
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
