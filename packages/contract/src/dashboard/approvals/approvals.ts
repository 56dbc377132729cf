import { type Static, Type } from 'typebox';
import { type DashboardOperation, PageOf, rolesFor } from '../../api/dashboard-operation.ts';
import { Approval, approvalStatuses } from '../../objects/approval.ts';
import { Nullable, PageQuery, Ref, Text } from '../../primitives/common.ts';

/** An approval with what a person wants to know before they decide. */
export const ApprovalItem = Type.Object({
  approval: Ref(Approval),
  /** Name of the key that asked, or address of the person; null where the key has no name. */
  requester: Nullable(Type.String()),
  /** What the request said: a refund's reason and note, a payment link's description. */
  why: Nullable(Type.String()),
  /** The payment's reference, or the payment link's title. */
  reference: Nullable(Type.String()),
  /** Who looks asked for it, or made the key that asked, or one that this key takes the place of. */
  own: Type.Boolean(),
  /** Why who looks may not approve it, beside what their role does not allow; null: nothing stands against it. */
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
  /** Never by who asked, where another member may approve it. It runs at once; what came of it is in the answer, or follows where the processor has not answered. */
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
