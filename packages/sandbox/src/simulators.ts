import type { BuyerOutcome } from './buyer/virtual-buyer.ts';
import type { Trigger } from './directives/trigger-rows.ts';
import type { SandboxDependencies, SimulatedProcessor } from './lib/dependencies.ts';
import * as processors from './processors.ts';
import type { Simulator } from './simulator/simulator.ts';

/** Every simulated processor, to be looked up by the name that the merchant's side has for it. */
export const simulators: Readonly<Record<SimulatedProcessor, Simulator>> = processors;

/** The one table of test cards and triggers: made of the very rows that the simulators act on. */
export const triggers: readonly Trigger[] = Object.values(simulators).flatMap(({ triggers: rows }) => rows);

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
