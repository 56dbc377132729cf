/** Every simulated processor, exported under its name on the merchant's side. */
export { processorA as processor_a } from './processor-a/processor.ts';
export { processorB as processor_b } from './processor-b/processor.ts';
