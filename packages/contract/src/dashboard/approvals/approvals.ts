import { type Static, Type } from 'typebox';
import { type DashboardOperation, PageOf, rolesFor } from '../../api/dashboard-operation.ts';
import { Approval, approvalStatuses } from '../../objects/approval.ts';
import { Nullable, PageQuery, Ref, Text } from '../../primitives/common.ts';

/** An approval with the information that a person needs to decide it. */
export const ApprovalItem = Type.Object({
  approval: Ref(Approval),
  /**
   * Name of the API key that made the request, or email address of the person. Null if the key has no name.
   */
  requester: Nullable(Type.String()),
  /** The request's own explanation: a refund's reason and note, or a payment link's description. */
  why: Nullable(Type.String()),
  /** The payment's reference, or the payment link's title. */
  reference: Nullable(Type.String()),
  /** Whether the viewer made the request, or created the key that made it or a key that it replaced. */
  own: Type.Boolean(),
  /** Why the viewer may not approve it, apart from the role's permissions. Null if nothing prevents it. */
  obstacle: Nullable(Type.String()),
});
export type ApprovalItem = Static<typeof ApprovalItem>;

const Decision = Type.Object({ reason: Type.Optional(Text(500)) });

export const approvalsDashboardApi = {
  listApprovals: {
    id: 'listApprovals',
    method: 'GET',
    path: '/accounts/:account/approvals',
    roles: rolesFor.viewing,
    query: Type.Object({ ...PageQuery, status: Type.Optional(Type.Enum([...approvalStatuses])) }),
    answers: { 200: PageOf(ApprovalItem) },
  },
  /**
   * The requester may not approve it if another member may. The approved operation runs at once. Its result
   * is in the response, or follows later if the processor has not answered.
   */
  approveRequest: {
    id: 'approveRequest',
    method: 'POST',
    movesMoney: true,
    path: '/accounts/:account/approvals/:id/approve',
    roles: rolesFor.managing,
    confirmation: true,
    body: Decision,
    answers: { 200: Ref(Approval) },
    audit: 'approval.approved',
  },
  refuseRequest: {
    id: 'refuseRequest',
    method: 'POST',
    movesMoney: false,
    path: '/accounts/:account/approvals/:id/refuse',
    roles: rolesFor.managing,
    body: Decision,
    answers: { 200: Ref(Approval) },
    audit: 'approval.refused',
  },
} as const satisfies Record<string, DashboardOperation>;
