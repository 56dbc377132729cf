import type { Answer } from '../../../api/calls.ts';

export type Detail = Answer<'retrieveDispute'>;
export type EvidenceFile = Answer<'uploadEvidence'>;

/** The queries to invalidate after a change. */
export const refreshed = ['retrieveDispute', 'listDisputes', 'retrieveHome', 'retrievePayment'] as const;
