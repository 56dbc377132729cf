import { useQueryClient } from '@tanstack/react-query';
import type { Answer } from '../../api/calls.ts';

/** What the tools work on: the clock, and what waits for a buyer, a bank or an issuer. */
export type SandboxState = Answer<'retrieveSandbox'>;
export type Trigger = Answer<'listTriggers'>['data'][number];

/** Reads everything again: what is played here shows on every page. */
export function useRefreshAll(): () => void {
  const queries = useQueryClient();
  return () => void queries.invalidateQueries();
}
