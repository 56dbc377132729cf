import type { BuyerOutcome } from './buyer/virtual-buyer.ts';
import type { SandboxDependencies } from './lib/dependencies.ts';
import { simulators } from './simulators.ts';

/**
 * Does what the buyer's page does, without a browser: for whatever waits for a buyer under this id, at any processor.
 * @returns where the browser would have gone; null where there is nothing to answer, or the page never comes back
 */
export async function resolveApproval(
  deps: Pick<SandboxDependencies, 'database' | 'now' | 'randomBytes'>,
  id: string,
  outcome: BuyerOutcome,
): Promise<{ readonly returnUrl: string } | null> {
  for (const simulator of Object.values(simulators)) {
    const answered = (await simulator.answerBuyer?.(deps, id, outcome)) ?? null;
    if (answered !== null) return answered;
  }
  return null;
}
