import type { SimulatedProcessor } from './parts.ts';
import * as processors from './processors.ts';
import type { Simulator } from './simulator.ts';

/** Every simulated processor, to be looked up by the name that the merchant's side has for it. */
export const simulators: Readonly<Record<SimulatedProcessor, Simulator>> = processors;
