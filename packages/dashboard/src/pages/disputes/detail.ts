import type { Answer } from '../../api.ts';

export type Detail = Answer<'retrieveDispute'>;
export type EvidenceFile = Answer<'uploadEvidence'>;

/** What reading again shows afterwards. */
export const refreshed = ['retrieveDispute', 'listDisputes', 'retrieveHome', 'retrievePayment'] as const;
