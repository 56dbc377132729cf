import { Approval, ApprovalList, ApprovalListQuery } from '../objects/approval.ts';
import type { Operation } from './operation.ts';

/**
 * Operations on approvals. A person decides them in the dashboard or at the command line, never through the
 * API.
 */
export const approvalApi = {
  listApprovals: {
    id: 'listApprovals',
    method: 'GET',
    path: '/api/v1/approvals',
    permission: 'approvals:read',
    tag: 'Approvals',
    summary: 'List approvals, most recent first',
    idempotency: 'unused',
    query: ApprovalListQuery,
    answers: { 200: ApprovalList },
    errors: ['invalid_params'],
  },
  retrieveApproval: {
    id: 'retrieveApproval',
    method: 'GET',
    path: '/api/v1/approvals/:id',
    permission: 'approvals:read',
    tag: 'Approvals',
    summary: 'Retrieve an approval',
    idempotency: 'unused',
    answers: { 200: Approval },
    errors: ['not_found'],
  },
} as const satisfies Record<string, Operation>;
