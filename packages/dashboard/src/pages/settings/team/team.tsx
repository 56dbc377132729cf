import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { useCall } from '../../../api/calls.ts';
import { useRefusal } from '../../../api/session.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import { DataTable } from '../../../components/tables/data-table.tsx';
import type { Column } from '../../../components/tables/table-props.ts';
import { RealTimes } from '../../../components/values/account-clock.tsx';
import { Badge } from '../../../components/values/badge.tsx';
import { None } from '../../../components/values/key-value.tsx';
import { Time } from '../../../components/values/time.tsx';
import { roleLabel } from '../roles.ts';
import { SettingsPage } from '../settings-page.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { type Invitation, InvitationActions, type Member, MemberActions } from './member-actions.tsx';

/** The people of the workspace and the open invitations. */
export function TeamPage() {
  const team = useCall('listTeam');
  const refusal = useRefusal();
  const [inviting, setInviting] = useState(false);
  const invitations = team.data?.invitations ?? [];
  return (
    <SettingsPage
      page="team"
      description="Who can sign in to this workspace, and what each of them may do."
      actions={
        <Button
          variant="primary"
          icon={UserPlus}
          unavailable={refusal('inviteMember')}
          onClick={() => setInviting(true)}
        >
          Invite
        </Button>
      }
    >
      <RealTimes>
        <DataTable
          label="Members"
          columns={memberColumns}
          rows={team.data?.members}
          rowKey={(member) => member.user_id}
          error={team.error}
          onRetry={() => void team.refetch()}
          empty={<EmptyState title="No members">Invite the first one.</EmptyState>}
        />
        {invitations.length > 0 && (
          <div>
            <h2 className="mb-2 text-lg font-semibold">Open invitations</h2>
            <DataTable
              label="Open invitations"
              columns={invitationColumns}
              rows={invitations}
              rowKey={(invitation) => invitation.id}
              empty={null}
            />
          </div>
        )}
      </RealTimes>
      <InviteDialog open={inviting} onClose={() => setInviting(false)} />
    </SettingsPage>
  );
}

/** An address may be up to 254 letters long without a place to break it. */
const anyBreak = 'min-w-40 max-w-80 [overflow-wrap:anywhere]';

const memberColumns: readonly Column<Member>[] = [
  {
    id: 'email',
    title: 'E-mail address',
    main: true,
    className: anyBreak,
    cell: (member) => (
      <span className="flex flex-wrap items-center gap-2">
        <span className="min-w-0">{member.email}</span>
        {member.you && <Badge tone="info">You</Badge>}
      </span>
    ),
  },
  { id: 'role', title: 'Role', card: 'status', cell: ({ role }) => roleLabel(role) },
  {
    id: 'totp',
    title: 'Authenticator',
    card: 'titled',
    cell: ({ totp_enabled }) => (totp_enabled ? <Badge tone="good">On</Badge> : <Badge>Off</Badge>),
  },
  {
    id: 'seen',
    title: 'Last seen',
    card: 'titled',
    isEmpty: ({ last_seen_at }) => last_seen_at === null,
    cell: ({ last_seen_at }) =>
      last_seen_at === null ? <None /> : <Time at={last_seen_at} show="relative" />,
  },
  { id: 'joined', title: 'Joined', cell: ({ joined_at }) => <Time at={joined_at} /> },
  {
    id: 'actions',
    title: 'Actions',
    quiet: true,
    card: 'aside',
    align: 'end',
    cell: (member) => <MemberActions member={member} />,
  },
];

const invitationColumns: readonly Column<Invitation>[] = [
  { id: 'email', title: 'E-mail address', main: true, className: anyBreak, cell: ({ email }) => email },
  { id: 'role', title: 'Role', card: 'status', cell: ({ role }) => roleLabel(role) },
  {
    id: 'by',
    title: 'Invited by',
    card: 'titled',
    className: anyBreak,
    cell: ({ invited_by }) => invited_by,
  },
  {
    id: 'expires',
    title: 'Open until',
    card: 'titled',
    cell: ({ expired, expires_at }) =>
      expired ? <Badge tone="warn">Expired</Badge> : <Time at={expires_at} show="both" />,
  },
  {
    id: 'actions',
    title: 'Actions',
    quiet: true,
    card: 'aside',
    align: 'end',
    cell: (invitation) => <InvitationActions invitation={invitation} />,
  },
];
