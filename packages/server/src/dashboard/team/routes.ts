import {
  type DashboardOperation,
  dashboardApi,
  type Invitation,
  type Member,
} from '@till/contract/dashboard';
import { isoSeconds } from '../../lib/clock.ts';
import {
  type InvitationRow,
  inviteMember,
  listInvitations,
  withdrawInvitation,
} from '../../users/invitations/invitations.ts';
import type { PeopleDependencies } from '../../users/people/dependencies.ts';
import {
  type ActingMember,
  changeRole,
  listMembers,
  type MemberRow,
  removeMember,
} from '../../users/people/members.ts';
import type { DashboardApi, StaffCall } from '../api.ts';

const actorOf = ({ staff, audit }: Pick<StaffCall<DashboardOperation>, 'staff' | 'audit'>): ActingMember => ({
  accountId: staff.accountId,
  userId: staff.userId,
  email: staff.email,
  audit,
});

const presentMember = (row: MemberRow, askedBy: string): Member => ({
  user_id: row.user_id,
  email: row.email,
  role: row.role,
  totp_enabled: row.totp_enabled,
  you: row.user_id === askedBy,
  joined_at: isoSeconds(row.joined_at),
  last_seen_at: row.last_seen_at === null ? null : isoSeconds(row.last_seen_at),
});

const presentInvitation = (row: InvitationRow, now: Date): Invitation => ({
  id: row.id,
  email: row.email,
  role: row.role,
  invited_by: row.invited_by,
  created_at: isoSeconds(row.created_at),
  expires_at: isoSeconds(row.expires_at),
  expired: row.expires_at <= now,
});

/** The operations on an account's people. Each writes its audit entry in its own transaction. */
export function teamDashboardRoutes(api: DashboardApi, people: PeopleDependencies): void {
  api.mount(dashboardApi.listTeam, async ({ staff }) => {
    const [members, invitations] = await Promise.all([
      listMembers(people.db, staff.accountId),
      listInvitations(people.db, staff.accountId),
    ]);
    const now = people.clock.now();
    return {
      status: 200,
      body: {
        members: members.map((row) => presentMember(row, staff.userId)),
        invitations: invitations.map((row) => presentInvitation(row, now)),
      },
    };
  });
  api.mount(dashboardApi.inviteMember, async (call) => {
    const { accountName, timeZone } = call.context;
    const options = { ...call.body, accountName, timeZone };
    const { invitation, url, mailed } = await inviteMember(people, actorOf(call), options);
    const shown = presentInvitation(invitation, people.clock.now());
    return { status: 201, body: { invitation: shown, url, mailed } };
  });
  api.mount(dashboardApi.withdrawInvitation, async (call) => {
    const id = call.params.id ?? '';
    await withdrawInvitation(people, actorOf(call), id);
    return { status: 200, body: { id, deleted: true } };
  });
  api.mount(dashboardApi.changeRole, async (call) => {
    const member = await changeRole(people, actorOf(call), call.params.user_id ?? '', call.body.role);
    return { status: 200, body: presentMember(member, call.staff.userId) };
  });
  api.mount(dashboardApi.removeMember, async (call) => {
    const id = call.params.user_id ?? '';
    await removeMember(people, actorOf(call), id);
    return { status: 200, body: { id, deleted: true } };
  });
}
