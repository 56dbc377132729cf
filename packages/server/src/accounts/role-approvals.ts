import {
  defaultRoleApprovals,
  type Role,
  type RoleApprovals,
  rolesWithApprovals,
} from '@till/contract/dashboard';
import { json, listOf, parametersOf, text, time, valuesOf } from '../store/columns.ts';
import type { Queryable } from '../store/database.ts';

export const roleApprovalColumns = {
  account_id: text,
  above: json<RoleApprovals>(),
  updated_at: time,
} as const;

/** The settings of an account; by default no role needs approvals. */
export async function roleApprovals(db: Queryable, accountId: string): Promise<RoleApprovals> {
  const [row] = await db.query<{ above: RoleApprovals }>({
    name: 'role_approvals_of',
    text: 'select above from role_approvals where account_id = $1',
    values: [accountId],
    scope: { accountId },
  });
  return row?.above ?? defaultRoleApprovals;
}

/**
 * The amount, in minor units, above which requests of a role need an approval; null if none do. The amount of admins also bounds
 * all other roles, because an admin could otherwise take a role with a greater amount.
 */
export function amountOfRole(above: RoleApprovals, role: Role): number | null {
  const waiting = rolesWithApprovals.find((one) => one === role);
  if (waiting === undefined) return null;
  const set = [above[waiting], above.admin].filter((amount) => amount !== null);
  return set.length === 0 ? null : Math.min(...set);
}

/** The same amount, read from the settings of an account. */
export const approvalThreshold = async (
  db: Queryable,
  accountId: string,
  role: Role,
): Promise<number | null> => amountOfRole(await roleApprovals(db, accountId), role);

/**
 * Replaces the settings of an account.
 * @param now real time
 */
export async function saveRoleApprovals(
  db: Queryable,
  accountId: string,
  { admin, support, developer }: RoleApprovals,
  now: Date,
): Promise<RoleApprovals> {
  const above = { admin, support, developer };
  await db.query({
    name: 'save_role_approvals',
    text: `insert into role_approvals (${listOf(roleApprovalColumns)}) values (${parametersOf(roleApprovalColumns)})
           on conflict (account_id) do update set above = excluded.above, updated_at = excluded.updated_at`,
    values: valuesOf(roleApprovalColumns, { account_id: accountId, above, updated_at: now }),
    scope: { accountId },
  });
  return above;
}
