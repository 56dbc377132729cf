import { Ellipsis } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import type { Answer } from '../../../api/calls.ts';
import { useRefusal, useWorkspace } from '../../../api/session.ts';
import { Button, IconButton } from '../../../components/buttons/button.tsx';
import { ErrorNote } from '../../../components/feedback/error-state.tsx';
import { toast } from '../../../components/feedback/toasts.tsx';
import { RadioGroup } from '../../../components/forms/choices.tsx';
import { ConfirmDialog } from '../../../components/overlays/confirm-dialog.tsx';
import { Dialog, DialogActions } from '../../../components/overlays/dialog.tsx';
import { Menu, MenuItem } from '../../../components/overlays/menu.tsx';
import { useDialogChange } from '../../../components/overlays/requests/dialog-change.ts';
import { type Role, roleLabel, rolesToGive } from '../roles.ts';

export type Member = Answer<'listTeam'>['members'][number];
export type Invitation = Answer<'listTeam'>['invitations'][number];

/** The actions of a member. */
export function MemberActions({ member }: { readonly member: Member }) {
  const [dialog, setDialog] = useState<'role' | 'remove'>();
  const refusal = useRefusal();
  const own = useWorkspace()?.role;
  const close = () => setDialog(undefined);
  const remove = useDialogChange('removeMember', ['listTeam', 'retrieveSession'], {
    open: dialog === 'remove',
    onClose: close,
  });
  const ownersOnly = member.role === 'owner' && own !== 'owner' ? 'Only owners change owners.' : undefined;
  const removal = member.you ? undefined : (refusal('changeRole') ?? ownersOnly);
  return (
    <>
      <Menu button={<IconButton label={`Actions for ${member.email}`} icon={Ellipsis} size="sm" />}>
        <MenuItem unavailable={refusal('changeRole') ?? ownersOnly} onSelect={() => setDialog('role')}>
          Change role…
        </MenuItem>
        <MenuItem danger unavailable={removal} onSelect={() => setDialog('remove')}>
          {member.you ? 'Leave workspace…' : 'Remove…'}
        </MenuItem>
      </Menu>
      <Dialog open={dialog === 'role'} onClose={close} title={`Role of ${member.email}`} size="md">
        <RoleForm member={member} own={own} onClose={close} />
      </Dialog>
      <ConfirmDialog
        open={dialog === 'remove'}
        onClose={close}
        title={member.you ? 'Leave this workspace?' : `Remove ${member.email}?`}
        action={member.you ? 'Leave workspace' : 'Remove member'}
        busy={remove.busy}
        error={remove.error}
        onConfirm={() =>
          remove.send({ params: { user_id: member.user_id } }, (_, closeThis) => {
            closeThis();
            toast(member.you ? 'You left the workspace' : `${member.email} was removed`);
          })
        }
      >
        <p>
          {member.you ? 'You lose' : `${member.email} loses`} access to this workspace at once. What was done
          stays in the audit log.
        </p>
      </ConfirmDialog>
    </>
  );
}

function RoleForm({
  member,
  own,
  onClose,
}: {
  readonly member: Member;
  readonly own: Role | undefined;
  readonly onClose: () => void;
}) {
  const refreshed = ['listTeam', 'retrieveSession', 'retrieveWorkspace'] as const;
  const change = useDialogChange('changeRole', refreshed, { open: true, onClose });
  const [role, setRole] = useState<Role>(member.role);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.send({ params: { user_id: member.user_id }, body: { role } }, (_, close) => {
      close();
      toast(`${member.email} is now ${roleLabel(role).toLowerCase()}`);
    });
  };
  return (
    <form onSubmit={submit}>
      <RadioGroup
        legend="Role"
        name="new-role"
        cards
        choices={rolesToGive(own)}
        value={role}
        onChange={(next) => setRole(next as Role)}
      />
      <ErrorNote error={change.error} className="mt-4" />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" busy={change.busy}>
          Change role
        </Button>
      </DialogActions>
    </form>
  );
}

/** Withdraws an invitation: its link stops working. */
export function InvitationActions({ invitation }: { readonly invitation: Invitation }) {
  const [open, setOpen] = useState(false);
  const refusal = useRefusal();
  const onClose = () => setOpen(false);
  const withdraw = useDialogChange('withdrawInvitation', ['listTeam'], { open, onClose });
  return (
    <>
      <Button size="sm" unavailable={refusal('withdrawInvitation')} onClick={() => setOpen(true)}>
        Withdraw
        <span className="sr-only"> the invitation of {invitation.email}</span>
      </Button>
      <ConfirmDialog
        open={open}
        onClose={onClose}
        title="Withdraw this invitation?"
        action="Withdraw invitation"
        busy={withdraw.busy}
        error={withdraw.error}
        onConfirm={() =>
          withdraw.send({ params: { id: invitation.id } }, (_, close) => {
            close();
            toast(`The invitation of ${invitation.email} was withdrawn`);
          })
        }
      >
        <p>The link that {invitation.email} got stops working at once.</p>
      </ConfirmDialog>
    </>
  );
}
