import { type Provider, providers } from '@till/contract';
import type { ProcessorCapabilities } from './port/capabilities.ts';
import { processorA } from './processor-a/processor.ts';
import { processorB } from './processor-b/processor.ts';
import type { Processor } from './upstream/processor.ts';

/** Every processor that an account can be connected to. Nothing else in the server names one. */
export const processors: Readonly<Record<Provider, Processor>> = {
  processor_a: processorA,
  processor_b: processorB,
};

/** What a processor can do, for callers without a connection to it. */
export const capabilitiesOf = (processor: Provider): ProcessorCapabilities =>
  processors[processor].capabilities;

/** The names of the processors with some capability, joined by "or" for a message. */
export const processorsThat = (can: (capabilities: ProcessorCapabilities) => boolean): string =>
  providers.filter((processor) => can(capabilitiesOf(processor))).join(' or ');

/** Builds a record with one value for each processor. */
export const forProcessors = <Made>(make: (processor: Provider) => Made): Readonly<Record<Provider, Made>> =>
  Object.fromEntries(providers.map((processor) => [processor, make(processor)])) as Record<Provider, Made>;
