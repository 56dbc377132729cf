import type { Role } from '@till/contract/dashboard';
import { joinKnownAccount } from '../../accounts/sql.ts';
import { type AccountRow, findAccount } from '../../accounts/store.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Queryable } from '../../store/database.ts';

/** An account as one of its members sees it. */
export interface Workspace {
  readonly account: AccountRow;
  readonly role: Role;
}

const minuteMs = 60_000;

/**
 * The account that a person's request is about. Also records the time of the last use, to the minute.
 * @param deps `accounts` is the database of the account's cell, if that is not the home database
 * @returns undefined if the person is not a member of the account or the account does not exist
 */
export async function findWorkspace(
  {
    db,
    clock,
    accounts = db,
  }: { readonly db: Queryable; readonly clock: Pick<Clock, 'now'>; readonly accounts?: Queryable },
  userId: string,
  accountId: string,
): Promise<Workspace | undefined> {
  const [membership] = await db.query<{ role: Role; last_seen_at: Date | null }>({
    name: 'find_membership',
    text: 'select role, last_seen_at from memberships where account_id = $1 and user_id = $2',
    values: [accountId, userId],
    scope: { accountId },
  });
  if (membership === undefined) return undefined;
  const now = clock.now();
  if (membership.last_seen_at === null || now.getTime() - membership.last_seen_at.getTime() >= minuteMs) {
    await db.query({
      name: 'touch_membership',
      text: `update memberships set last_seen_at = greatest(last_seen_at, $3)
             where account_id = $1 and user_id = $2`,
      values: [accountId, userId, now],
      scope: { accountId },
    });
  }
  const account = await findAccount(accounts, accountId);
  return account === undefined ? undefined : { account, role: membership.role };
}

export interface WorkspaceRow {
  readonly account_id: string;
  readonly name: string;
  readonly environment: AccountRow['environment'];
  readonly activation: AccountRow['activation'];
  readonly processor: AccountRow['processor'];
  readonly time_zone: string;
  readonly role: Role;
}

/** The accounts of a person, by name. */
export async function listWorkspaces(db: Queryable, userId: string): Promise<WorkspaceRow[]> {
  return db.query<WorkspaceRow>({
    text: `select a.account_id, a.name, a.environment, a.activation, a.processor, a.time_zone, m.role
           from memberships m ${joinKnownAccount('m')} where m.user_id = $1
           order by lower(a.name), a.account_id`,
    values: [userId],
    scope: 'nobody',
  });
}
