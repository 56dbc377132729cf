import { useQueryClient } from '@tanstack/react-query';
import type { Answer } from '../../api/calls.ts';

/** The clock, and what waits for a buyer, a bank or an issuer. */
export type SandboxState = Answer<'retrieveSandbox'>;
export type Trigger = Answer<'listTriggers'>['data'][number];

/** Invalidates every query, since the tools change what all pages show. */
export function useRefreshAll(): () => void {
  const queries = useQueryClient();
  return () => void queries.invalidateQueries();
}
