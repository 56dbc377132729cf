import type { BuyerOutcome } from './buyer/virtual-buyer.ts';
import type { Trigger } from './directives/trigger-rows.ts';
import type { SandboxDependencies, SimulatedProcessor } from './lib/dependencies.ts';
import * as processors from './processors.ts';
import type { Simulator } from './simulator/simulator.ts';

/** Every simulated processor, by its name on the merchant's side. */
export const simulators: Readonly<Record<SimulatedProcessor, Simulator>> = processors;

/** The table of all test cards and triggers, built from the very rows that the simulators read. */
export const triggers: readonly Trigger[] = Object.values(simulators).flatMap(({ triggers: rows }) => rows);

/**
 * Has the same effect as the buyer's page, but without a browser. Finds the task that waits for a buyer under
 * this id at any processor.
 * @returns where the browser would go next; null if there is nothing to answer, or if the page never returns
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
