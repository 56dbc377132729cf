import { dashboardApi, mayCall, type Role, type RoleApprovals } from '@till/contract/dashboard';
import { amountOfRole, roleApprovals } from '../../accounts/role-approvals.ts';
import { type ApiKeyRow, listApiKeys } from '../../api-keys/api-keys.ts';
import type { ApprovalRow } from '../../approvals/row.ts';
import type { Queryable } from '../../store/database.ts';
import { listMembers, type MemberRow } from '../../users/people/members.ts';
import type { Staff } from '../call.ts';

/** Of an account what says who may approve what. */
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

/** Ids of the people behind a request: who asked, or who made the key that did; who has its secret comes last. */
const askedBy = ({ keys }: Deciders, { requested_by: by }: Asked): readonly string[] =>
  keys.get(by)?.makers ?? [by];

/** Whether somebody asked for it, or made the key that did or one that this key takes the place of. */
export const isOwn = (deciders: Deciders, asked: Asked, { userId }: Pick<Person, 'userId'>): boolean =>
  askedBy(deciders, asked).includes(userId);

const approves = ({ above }: Deciders, { amount }: Asked, role: Role): boolean => {
  const max = amountOfRole(above, role);
  return mayCall(dashboardApi.approveRequest, role, true) && (max === null || amount <= max);
};

/**
 * Why somebody may not approve a request, beside what their role does not allow; null: nothing stands against it. Who asked may
 * not as long as anybody else could. Where all who could made the key or one before it, only who has its secret may not; where that
 * leaves nobody, who asked may: else an account of one person could never approve anything.
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
