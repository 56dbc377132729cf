import type { NextAction, Provider } from '@till/contract';

const provider: string = 'processor_c';
const redirect: string = 'processor_c_redirect';

/** Names that the repository's own contract lacks. The changes in CONTRIBUTING.md add both. */
export const names = { provider: provider as Provider, redirect: redirect as NextAction['type'] };
