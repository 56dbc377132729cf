import { type Static, Type } from 'typebox';
import { type DashboardOperation, rolesFor } from '../../api/dashboard-operation.ts';
import { limits, Nullable } from '../../primitives/common.ts';

/** Roles that can need approvals. Owners set this, and viewers move no money. */
export const rolesWithApprovals = ['admin', 'support', 'developer'] as const;
export type WaitingRole = (typeof rolesWithApprovals)[number];

const Above = Nullable(Type.Integer({ minimum: 0, maximum: limits.amountMax }));

/**
 * The amount above which each role needs an approval, in minor units of whichever currency. Null if the role
 * never needs one.
 */
export const RoleApprovals = Type.Object({ admin: Above, support: Above, developer: Above });
export type RoleApprovals = Static<typeof RoleApprovals>;

/** The default of an account that has set nothing. */
export const defaultRoleApprovals: RoleApprovals = { admin: null, support: null, developer: null };

/**
 * Which refunds, captures and payment links of the dashboard need an approval, the same in the sandbox and
 * live.
 */
export const roleApprovalsApi = {
  retrieveRoleApprovals: {
    id: 'retrieveRoleApprovals',
    method: 'GET',
    path: '/accounts/:account/settings/role_approvals',
    roles: rolesFor.viewing,
    answers: { 200: RoleApprovals },
  },
  /** Updates the given roles. Only owners may do this, since an admin could remove their own limit. */
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
