import { useQueryClient } from '@tanstack/react-query';
import type { Answer } from '../../api/calls.ts';

/** The clock, and the objects that wait for a buyer, a bank or an issuer. */
export type SandboxState = Answer<'retrieveSandbox'>;
export type Trigger = Answer<'listTriggers'>['data'][number];

/** Invalidates every query, because the tools change the data of all pages. */
export function useRefreshAll(): () => void {
  const queries = useQueryClient();
  return () => void queries.invalidateQueries();
}
