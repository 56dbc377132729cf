import { type Static, Type } from 'typebox';
import { type DashboardOperation, rolesFor } from '../../api/dashboard-operation.ts';
import { limits, Nullable } from '../../primitives/common.ts';

/** Roles that can be made to wait: owners set it, viewers move no money. */
export const waitingRoles = ['admin', 'support', 'developer'] as const;
export type WaitingRole = (typeof waitingRoles)[number];

const Above = Nullable(Type.Integer({ minimum: 0, maximum: limits.amountMax }));

/** Above which amount each role waits, in minor units of whatever currency; null: above none. */
export const RoleApprovals = Type.Object({ admin: Above, support: Above, developer: Above });
export type RoleApprovals = Static<typeof RoleApprovals>;

/** What holds where an account has set nothing. */
export const noRoleApprovals: RoleApprovals = { admin: null, support: null, developer: null };

/** Which refunds, captures and payment links of the dashboard wait for approval, the same in the sandbox and live. */
export const roleApprovalsApi = {
  retrieveRoleApprovals: {
    id: 'retrieveRoleApprovals',
    method: 'GET',
    path: '/accounts/:account/settings/role_approvals',
    roles: rolesFor.viewing,
    answers: { 200: RoleApprovals },
  },
  /** Changes those that are named. Owners only: an admin would lift the limit of their own. */
  updateRoleApprovals: {
    id: 'updateRoleApprovals',
    method: 'PATCH',
    path: '/accounts/:account/settings/role_approvals',
    roles: rolesFor.owning,
    confirmation: true,
    body: Type.Partial(RoleApprovals),
    keepsNull: true,
    answers: { 200: RoleApprovals },
    audit: 'role_approvals.changed',
  },
} as const satisfies Record<string, DashboardOperation>;
