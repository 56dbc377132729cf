export { listApprovalRows as listApprovals } from './store.ts';
