import type { Role } from '@till/contract/dashboard';
import { type AccountRow, findAccount } from '../accounts/store.ts';
import type { Queryable } from '../store/database.ts';

/** An account as one of its members sees it. */
export interface Workspace {
  readonly account: AccountRow;
  readonly role: Role;
}

/** Undefined for an account that the person is no member of, and for one that does not exist. */
export async function findWorkspace(
  db: Queryable,
  userId: string,
  accountId: string,
): Promise<Workspace | undefined> {
  const [membership] = await db.query<{ role: Role }>({
    name: 'find_membership',
    text: 'select role from memberships where account_id = $1 and user_id = $2',
    values: [accountId, userId],
  });
  if (membership === undefined) return undefined;
  const account = await findAccount(db, accountId);
  return account === undefined ? undefined : { account, role: membership.role };
}

export interface WorkspaceRow {
  readonly account_id: string;
  readonly name: string;
  readonly environment: AccountRow['environment'];
  readonly activation: AccountRow['activation'];
  readonly processor: AccountRow['processor'];
  readonly role: Role;
}

/** The accounts of a person, by name. */
export async function listWorkspaces(db: Queryable, userId: string): Promise<WorkspaceRow[]> {
  return db.query<WorkspaceRow>({
    text: `select a.account_id, a.name, a.environment, a.activation, a.processor, m.role
           from memberships m join accounts a using (account_id) where m.user_id = $1
           order by lower(a.name), a.account_id`,
    values: [userId],
  });
}
