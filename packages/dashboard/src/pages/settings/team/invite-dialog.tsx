import { type FormEvent, useState } from 'react';
import { type Answer, useChange } from '../../../api/calls.ts';
import { useWorkspace } from '../../../api/session.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { ErrorNote, fieldError } from '../../../components/feedback/error-state.tsx';
import { RadioGroup } from '../../../components/forms/choices.tsx';
import { Field } from '../../../components/forms/field.tsx';
import { TextInput } from '../../../components/forms/inputs.tsx';
import { Dialog, DialogActions } from '../../../components/overlays/dialog.tsx';
import { RevealOnce } from '../../../components/overlays/reveal-once.tsx';
import { type Role, rolesToGive } from '../roles.ts';

/** Invites a person by mail, and shows the link once for passing it on otherwise. */
export function InviteDialog({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const [made, setMade] = useState<Answer<'inviteMember'>>();
  const done = (answer: Answer<'inviteMember'>) => {
    setMade(answer);
    onClose();
  };
  return (
    <>
      <Dialog open={open} onClose={onClose} title="Invite somebody" size="md">
        <InviteForm onCancel={onClose} onDone={done} />
      </Dialog>
      <RevealOnce title="Invitation made" what="Link" secret={made?.url} onSaved={() => setMade(undefined)}>
        {made?.mailed === true
          ? `A mail with this link is on its way to ${made.invitation.email}.`
          : `No mail can be sent. Hand the link over to ${made?.invitation.email ?? ''} yourself.`}
      </RevealOnce>
    </>
  );
}

function InviteForm({
  onCancel,
  onDone,
}: {
  readonly onCancel: () => void;
  readonly onDone: (answer: Answer<'inviteMember'>) => void;
}) {
  const invite = useChange('inviteMember', ['listTeam']);
  const own = useWorkspace()?.role;
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const [tried, setTried] = useState(false);
  const fault = email.trim() === '' ? 'Enter an e-mail address.' : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (invite.isPending || fault !== undefined) return;
    invite.mutate({ body: { email: email.trim(), role } }, { onSuccess: onDone });
  };
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <Field
        label="E-mail address"
        error={(tried ? fault : undefined) ?? fieldError(invite.error, 'email')}
        required
      >
        <TextInput
          type="email"
          name="invited-email"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
      </Field>
      <RadioGroup
        legend="Role"
        name="role"
        cards
        choices={rolesToGive(own)}
        value={role}
        onChange={(next) => setRole(next as Role)}
      />
      <ErrorNote error={invite.error} fields={['email']} />
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" variant="primary" busy={invite.isPending}>
          Invite
        </Button>
      </DialogActions>
    </form>
  );
}
