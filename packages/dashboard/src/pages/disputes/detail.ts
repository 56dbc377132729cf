import type { Answer } from '../../api/calls.ts';

export type Detail = Answer<'retrieveDispute'>;
export type EvidenceFile = Answer<'uploadEvidence'>;

/** What reading again shows afterwards. */
export const refreshed = ['retrieveDispute', 'listDisputes', 'retrieveHome', 'retrievePayment'] as const;
