import { type Static, Type } from 'typebox';
import { type DashboardOperation, IsoTime, roles, rolesFor } from '../../api/dashboard-operation.ts';
import { Nullable } from '../../primitives/common.ts';

const RoleName = Type.Enum([...roles]);

export const Member = Type.Object({
  user_id: Type.String(),
  email: Type.String(),
  role: RoleName,
  totp_enabled: Type.Boolean(),
  /** Whether this member is the caller. */
  you: Type.Boolean(),
  joined_at: IsoTime,
  last_seen_at: Nullable(IsoTime),
});
export type Member = Static<typeof Member>;

/** An invitation that was neither accepted nor withdrawn. */
export const Invitation = Type.Object({
  id: Type.String(),
  email: Type.String(),
  role: RoleName,
  invited_by: Type.String({ description: 'E-mail address.' }),
  created_at: IsoTime,
  expires_at: IsoTime,
  expired: Type.Boolean(),
});
export type Invitation = Static<typeof Invitation>;

/** The people of an account. Only owners can appoint, change or remove owners. */
export const teamApi = {
  listTeam: {
    id: 'listTeam',
    method: 'GET',
    path: '/accounts/:account/team',
    roles: rolesFor.viewing,
    answers: {
      200: Type.Object({ members: Type.Array(Member), invitations: Type.Array(Invitation) }),
    },
  },
  inviteMember: {
    id: 'inviteMember',
    method: 'POST',
    movesMoney: false,
    path: '/accounts/:account/team/invitations',
    roles: rolesFor.managing,
    confirmation: true,
    body: Type.Object({ email: Type.String({ format: 'email', maxLength: 254 }), role: RoleName }),
    answers: {
      201: Type.Object({
        invitation: Invitation,
        /** The link to hand over to the invited person. Returned only once. */
        url: Type.String(),
        /** Whether an email with the link was queued. */
        mailed: Type.Boolean(),
      }),
    },
    audit: 'member.invited',
  },
  withdrawInvitation: {
    id: 'withdrawInvitation',
    method: 'DELETE',
    path: '/accounts/:account/team/invitations/:id',
    roles: rolesFor.managing,
    answers: { 200: Type.Object({ id: Type.String(), deleted: Type.Literal(true) }) },
    audit: 'invitation.withdrawn',
  },
  changeRole: {
    id: 'changeRole',
    method: 'PATCH',
    path: '/accounts/:account/team/:user_id',
    roles: rolesFor.managing,
    confirmation: true,
    body: Type.Object({ role: RoleName }),
    answers: { 200: Member },
    audit: 'member.role_changed',
  },
  /** Every member may remove themselves. */
  removeMember: {
    id: 'removeMember',
    method: 'DELETE',
    path: '/accounts/:account/team/:user_id',
    roles: 'signed_in',
    confirmation: true,
    answers: { 200: Type.Object({ id: Type.String(), deleted: Type.Literal(true) }) },
    audit: 'member.removed',
  },
} as const satisfies Record<string, DashboardOperation>;
