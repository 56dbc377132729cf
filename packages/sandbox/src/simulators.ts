import type { SimulatedProcessor } from './parts.ts';
import { processorA } from './processor-a/processor.ts';
import { processorB } from './processor-b/processor.ts';
import type { Simulator } from './simulator.ts';

/** Every simulated processor, by the name that the merchant's side has for it. */
export const simulators: Readonly<Record<SimulatedProcessor, Simulator>> = {
  processor_a: processorA,
  processor_b: processorB,
};
