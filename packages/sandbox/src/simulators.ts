import type { Trigger } from './directives/trigger-rows.ts';
import type { SimulatedProcessor } from './lib/dependencies.ts';
import * as processors from './processors.ts';
import type { Simulator } from './simulator/simulator.ts';

/** Every simulated processor, to be looked up by the name that the merchant's side has for it. */
export const simulators: Readonly<Record<SimulatedProcessor, Simulator>> = processors;

/** The one table of test cards and triggers: made of the very rows that the simulators act on. */
export const triggers: readonly Trigger[] = Object.values(simulators).flatMap(({ triggers: rows }) => rows);
