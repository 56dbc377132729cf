import { ApiError } from '@till/contract';
import { DashboardError, type Role, roles } from '@till/contract/dashboard';
import { bool, listOf, nullable, oneOf, type RowOf, text, time } from '../../store/columns.ts';
import type { Queryable } from '../../store/database.ts';
import type { PeopleDependencies } from './dependencies.ts';

/** A member who makes a request, in the account that it is about. */
export interface ActingMember {
  readonly accountId: string;
  readonly userId: string;
  readonly email: string;
  /** Writes the audit entry of what they do, in its transaction. */
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

/** A person of an account. */
export type MemberRow = RowOf<typeof memberColumns>;

const columns = listOf(memberColumns, 'm', {
  email: 'u.email',
  totp_enabled: 'exists (select from user_totp t where t.user_id = u.id and t.enabled_at is not null)',
  joined_at: 'm.created_at',
});
const selectMembers = `select ${columns} from memberships m join users u on u.id = m.user_id where m.account_id = $1`;

/** The people of an account, owners first. */
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

/** Whether somebody with this role may give or take another one. */
function requireAuthority(actor: Role, ...concerned: readonly Role[]): void {
  if (concerned.includes('owner') && actor !== 'owner') {
    throw new DashboardError('forbidden', 'Only an owner makes, changes or removes owners.');
  }
  if (!managers.includes(actor)) {
    throw new DashboardError('forbidden', `Your role in this account, ${actor}, does not allow this.`);
  }
}

/** Until the end of the transaction nobody else changes who the account's people are, and what was read here holds. */
async function lockMembers(tx: Queryable, accountId: string): Promise<ReadonlyMap<string, Role>> {
  const rows = await tx.query<{ user_id: string; role: Role }>({
    text: 'select user_id, role from memberships where account_id = $1 order by user_id for update',
    values: [accountId],
    scope: { accountId },
  });
  return new Map(rows.map((row) => [row.user_id, row.role]));
}

/** What the actor may be now, not when the request came. @throws DashboardError `forbidden` */
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

/** Whether somebody with this role may invite people as that one. */
const mayGive = (actor: Role, given: Role): boolean =>
  managers.includes(actor) && (given !== 'owner' || actor === 'owner');

/**
 * Ends the open invitations that a person made and may make no more: else a member who is to leave invites a friend before.
 * @param role what the person is now; null: no member @returns how many, for the audit entry
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
 * Gives a member another role. Their open invitations end where the new one does not allow them.
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
 * Ends a membership, and the open invitations of that person. Everybody may end their own.
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

/** Makes sure that somebody may invite a person as these. @throws DashboardError `forbidden` */
export async function requireInviter(
  tx: Queryable,
  actor: ActingMember,
  ...concerned: readonly Role[]
): Promise<void> {
  requireAuthority(roleOf(await lockMembers(tx, actor.accountId), actor.userId), ...concerned);
}
