import type { NextAction, Provider } from '@till/contract';

const provider: string = 'processor_c';
const redirect: string = 'processor_c_redirect';

/** The repository's own contract has neither name; with the lines of CONTRIBUTING.md it has both. */
export const names = { provider: provider as Provider, redirect: redirect as NextAction['type'] };
