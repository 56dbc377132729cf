import type { OpenedDispute } from './simulator/simulator.ts';

/** The upstream's id of a dispute that had to be opened. */
export function upstreamIdOf(opened: OpenedDispute): string {
  if (opened === null || opened === 'amount_not_carried') throw new Error(`no dispute was opened: ${opened}`);
  return opened.upstreamId;
}
