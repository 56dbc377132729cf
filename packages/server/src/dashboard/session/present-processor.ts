import type { Provider } from '@till/contract';
import type { ProcessorTraits } from '@till/contract/dashboard';
import { processors } from '../../processors/registry.ts';

/** What pages have to know of the account's processor. */
export function presentProcessor(processor: Provider): ProcessorTraits {
  const { words, capabilities } = processors[processor];
  return {
    name: words.name,
    does: words.does,
    credentials: [...words.credentials],
    browser_methods: [...capabilities.browserMethods],
    holds: capabilities.holds,
    evidence_types: [...capabilities.evidence.types],
    few_evidence_files: capabilities.evidence.fewFiles,
  };
}
