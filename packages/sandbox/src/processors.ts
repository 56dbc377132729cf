/** Every simulated processor, by the name that the merchant's side has for it. */
export { processorA as processor_a } from './processor-a/processor.ts';
export { processorB as processor_b } from './processor-b/processor.ts';
