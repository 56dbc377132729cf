import type { OpenedDispute } from './simulator/simulator.ts';

/** Returns the upstream's id of a dispute, and throws if none was opened. */
export function upstreamIdOf(opened: OpenedDispute): string {
  if (opened === null || opened === 'amount_not_carried') throw new Error(`no dispute was opened: ${opened}`);
  return opened.upstreamId;
}
