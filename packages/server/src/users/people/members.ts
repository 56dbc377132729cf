import { ApiError } from '@till/contract';
import { DashboardError, type Role, roles } from '@till/contract/dashboard';
import { bool, listOf, nullable, oneOf, type RowOf, text, time } from '../../store/columns.ts';
import type { Queryable } from '../../store/database.ts';
import type { PeopleDependencies } from './dependencies.ts';

/** A member who makes a request, in the account that the request is about. */
export interface ActingMember {
  readonly accountId: string;
  readonly userId: string;
  readonly email: string;
  /** Writes the audit entry of the member's change, in its transaction. */
  readonly audit: (
    entry: { readonly objectId: string; readonly before: object | null; readonly after: object | null },
    tx: Queryable,
  ) => Promise<void>;
}

const memberColumns = {
  user_id: text,
  email: text,
  role: oneOf<Role>(),
  totp_enabled: bool,
  joined_at: time,
  last_seen_at: nullable(time),
} as const;

/** A member of an account. */
export type MemberRow = RowOf<typeof memberColumns>;

const columns = listOf(memberColumns, 'm', {
  email: 'u.email',
  totp_enabled: 'exists (select from user_totp t where t.user_id = u.id and t.enabled_at is not null)',
  joined_at: 'm.created_at',
});
const selectMembers = `select ${columns} from memberships m join users u on u.id = m.user_id where m.account_id = $1`;

/** The members of an account, owners first. */
export async function listMembers(db: Queryable, accountId: string): Promise<MemberRow[]> {
  return db.query<MemberRow>({
    text: `${selectMembers} order by array_position(array['owner', 'admin', 'developer', 'support', 'viewer'], m.role),
      u.email_folded`,
    values: [accountId],
    scope: { accountId },
  });
}

async function requireMember(db: Queryable, accountId: string, userId: string): Promise<MemberRow> {
  const [row] = await db.query<MemberRow>({
    text: `${selectMembers} and m.user_id = $2`,
    values: [accountId, userId],
    scope: { accountId },
  });
  if (row === undefined) throw new ApiError('not_found', 'There is no such member.');
  return row;
}

const managers: readonly Role[] = ['owner', 'admin'];

/** Requires that a member with this role may give or take the concerned roles. @throws DashboardError `forbidden` */
function requireAuthority(actor: Role, ...concerned: readonly Role[]): void {
  if (concerned.includes('owner') && actor !== 'owner') {
    throw new DashboardError('forbidden', 'Only an owner makes, changes or removes owners.');
  }
  if (!managers.includes(actor)) {
    throw new DashboardError('forbidden', `Your role in this account, ${actor}, does not allow this.`);
  }
}

/** Locks the account's members, so that no other transaction changes them and the result stays valid until this one ends. */
async function lockMembers(tx: Queryable, accountId: string): Promise<ReadonlyMap<string, Role>> {
  const rows = await tx.query<{ user_id: string; role: Role }>({
    text: 'select user_id, role from memberships where account_id = $1 order by user_id for update',
    values: [accountId],
    scope: { accountId },
  });
  return new Map(rows.map((row) => [row.user_id, row.role]));
}

/** The actor's role now, which may differ from the one when the request arrived. @throws DashboardError `forbidden` */
function roleOf(members: ReadonlyMap<string, Role>, userId: string): Role {
  const role = members.get(userId);
  if (role === undefined) {
    throw new DashboardError('forbidden', 'You are no member of this account any more.');
  }
  return role;
}

function requireAnotherOwner(members: ReadonlyMap<string, Role>): void {
  const owners = [...members.values()].filter((role) => role === 'owner');
  if (owners.length > 1) return;
  throw new DashboardError(
    'last_owner',
    'An account keeps at least one owner. Make somebody else one first.',
  );
}

/** Whether a member with the first role may invite people with the second. */
const mayGive = (actor: Role, given: Role): boolean =>
  managers.includes(actor) && (given !== 'owner' || actor === 'owner');

/**
 * Ends the open invitations that a person made and may no longer make. Otherwise a member who is about to be removed could
 * invite a friend first.
 * @param role the person's role now; null if they are no longer a member
 * @returns how many ended, for the audit entry
 */
async function endInvitationsOf(
  tx: Queryable,
  {
    accountId,
    userId,
    role,
  }: { readonly accountId: string; readonly userId: string; readonly role: Role | null },
  now: Date,
): Promise<{ invitations_ended?: number }> {
  const kept = role === null ? [] : roles.filter((given) => mayGive(role, given));
  const rows = await tx.query({
    text: `update invitations set ended_at = $4
           where account_id = $1 and invited_by = $2 and ended_at is null and role <> all ($3::text[]) returning id`,
    values: [accountId, userId, kept, now],
    scope: { accountId },
  });
  return rows.length === 0 ? {} : { invitations_ended: rows.length };
}

/**
 * Gives a member another role, and ends those of their open invitations that the new role does not allow.
 * @throws ApiError `not_found`; DashboardError `forbidden`, `last_owner`
 */
export async function changeRole(
  deps: PeopleDependencies,
  actor: ActingMember,
  userId: string,
  role: Role,
): Promise<MemberRow> {
  return deps.db.transaction(async (tx) => {
    const members = await lockMembers(tx, actor.accountId);
    const former = members.get(userId);
    if (former === undefined) throw new ApiError('not_found', 'There is no such member.');
    requireAuthority(roleOf(members, actor.userId), former, role);
    if (former === 'owner' && role !== 'owner') requireAnotherOwner(members);
    await tx.query({
      text: 'update memberships set role = $3 where account_id = $1 and user_id = $2',
      values: [actor.accountId, userId, role],
      scope: { accountId: actor.accountId },
    });
    const ended = await endInvitationsOf(tx, { accountId: actor.accountId, userId, role }, deps.clock.now());
    const member = await requireMember(tx, actor.accountId, userId);
    await actor.audit(
      {
        objectId: userId,
        before: { email: member.email, role: former },
        after: { email: member.email, role, ...ended },
      },
      tx,
    );
    return member;
  });
}

/**
 * Ends a membership and that person's open invitations. Members may always remove themselves.
 * @throws ApiError `not_found`; DashboardError `forbidden`, `last_owner`
 */
export async function removeMember(
  deps: PeopleDependencies,
  actor: ActingMember,
  userId: string,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const members = await lockMembers(tx, actor.accountId);
    const role = members.get(userId);
    if (role === undefined) throw new ApiError('not_found', 'There is no such member.');
    if (userId !== actor.userId) requireAuthority(roleOf(members, actor.userId), role);
    if (role === 'owner') requireAnotherOwner(members);
    const { email } = await requireMember(tx, actor.accountId, userId);
    await tx.query({
      text: 'delete from memberships where account_id = $1 and user_id = $2',
      values: [actor.accountId, userId],
      scope: { accountId: actor.accountId },
    });
    const ended = await endInvitationsOf(
      tx,
      { accountId: actor.accountId, userId, role: null },
      deps.clock.now(),
    );
    await actor.audit(
      {
        objectId: userId,
        before: { email, role, ...ended },
        after: null,
      },
      tx,
    );
  });
}

/** Requires that the actor may invite people with these roles. @throws DashboardError `forbidden` */
export async function requireInviter(
  tx: Queryable,
  actor: ActingMember,
  ...concerned: readonly Role[]
): Promise<void> {
  requireAuthority(roleOf(await lockMembers(tx, actor.accountId), actor.userId), ...concerned);
}
