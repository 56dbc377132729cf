import { useQueryClient } from '@tanstack/react-query';

/** Reads everything again: what is played here shows on every page. */
export function useRefreshAll(): () => void {
  const queries = useQueryClient();
  return () => void queries.invalidateQueries();
}
