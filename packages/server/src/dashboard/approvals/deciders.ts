import { dashboardApi, mayCall, type Role, type RoleApprovals } from '@till/contract/dashboard';
import { amountOfRole, roleApprovals } from '../../accounts/role-approvals.ts';
import { type ApiKeyRow, listApiKeys } from '../../api-keys/api-keys.ts';
import type { ApprovalRow } from '../../approvals/row.ts';
import type { Queryable } from '../../store/database.ts';
import { listMembers, type MemberRow } from '../../users/people/members.ts';
import type { Staff } from '../call.ts';

/** The parts of an account that decide who may approve what. */
export interface Deciders {
  readonly members: readonly Pick<MemberRow, 'user_id' | 'role'>[];
  readonly keys: ReadonlyMap<string, Pick<ApiKeyRow, 'name' | 'makers'>>;
  readonly above: RoleApprovals;
}

export async function readDeciders(db: Queryable, accountId: string): Promise<Deciders> {
  const [members, keys, above] = await Promise.all([
    listMembers(db, accountId),
    listApiKeys(db, accountId),
    roleApprovals(db, accountId),
  ]);
  return { members, keys: new Map(keys.map((key) => [key.id, key])), above };
}

type Asked = Pick<ApprovalRow, 'amount' | 'requested_by'>;
type Person = Pick<Staff, 'userId' | 'role'>;

/**
 * Ids of the people behind a request: the person who made it, or the people who made its API key. The person who has the
 * key's secret comes last.
 */
const askedBy = ({ keys }: Deciders, { requested_by: by }: Asked): readonly string[] =>
  keys.get(by)?.makers ?? [by];

/** Whether a person made the request, its API key, or a key that this key replaces. */
export const isOwn = (deciders: Deciders, asked: Asked, { userId }: Pick<Person, 'userId'>): boolean =>
  askedBy(deciders, asked).includes(userId);

const approves = ({ above }: Deciders, { amount }: Asked, role: Role): boolean => {
  const max = amountOfRole(above, role);
  return mayCall(dashboardApi.approveRequest, role, true) && (max === null || amount <= max);
};

/**
 * Why a person may not approve a request, apart from what their role does not allow; null if nothing prevents it. The
 * requester may not approve it while any other member could. If everyone who could approve it made the key or one that it
 * replaces, only the person who has the key's secret may not. If that leaves nobody, the requester may: otherwise an
 * account of one person could never approve anything.
 */
export function obstacleTo(deciders: Deciders, asked: Asked, { userId, role }: Person): string | null {
  const max = amountOfRole(deciders.above, role);
  if (max !== null && asked.amount > max) {
    return `Your role here, ${role}, waits for approval of such amounts itself: another role has to approve this.`;
  }
  const people = askedBy(deciders, asked);
  if (!people.includes(userId)) return null;
  const others = deciders.members
    .filter((member) => member.user_id !== userId && approves(deciders, asked, member.role))
    .map((member) => member.user_id);
  const hasSecret = people.at(-1) === userId;
  if (!others.some((id) => hasSecret || !people.includes(id))) return null;
  return deciders.keys.has(asked.requested_by)
    ? 'You made the API key that asked for this, or one that it takes the place of: somebody else has to approve it.'
    : 'You asked for this yourself: somebody else has to approve it.';
}
