import { type FormEvent, useState } from 'react';
import type { Answer, Body } from '../../../api/calls.ts';
import { useWorkspace } from '../../../api/session.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { ErrorNote, fieldError } from '../../../components/feedback/error-state.tsx';
import { RadioGroup } from '../../../components/forms/choices.tsx';
import { Field } from '../../../components/forms/field.tsx';
import { TextInput } from '../../../components/forms/inputs.tsx';
import { Dialog, DialogActions } from '../../../components/overlays/dialog.tsx';
import { useDialogChange } from '../../../components/overlays/requests/dialog-change.ts';
import { RevealOnce } from '../../../components/overlays/reveal-once.tsx';
import { type Role, rolesToGive } from '../roles.ts';

/** Invites a person by mail, and shows the link once so that it can be passed on in another way. */
export function InviteDialog({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  // Kept beside the dialog, so that the link is shown even if the dialog is closed while its request is in flight.
  const invite = useDialogChange('inviteMember', ['listTeam'], { open, onClose });
  const [made, setMade] = useState<Answer<'inviteMember'>>();
  const close = () => {
    if (!invite.busy) invite.reset();
    onClose();
  };
  const send = (body: Body<'inviteMember'>) =>
    invite.send({ body }, (answer, closeThis) => {
      setMade(answer);
      closeThis();
    });
  return (
    <>
      <Dialog open={open} onClose={close} title="Invite somebody" size="md">
        <InviteForm
          begun={invite.sent?.body}
          busy={invite.busy}
          error={invite.error}
          onSend={send}
          onCancel={close}
        />
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
  begun,
  busy,
  error,
  onSend,
  onCancel,
}: {
  /** The body of the invitation in flight. */
  readonly begun: Body<'inviteMember'> | undefined;
  readonly busy: boolean;
  readonly error: Error | null;
  readonly onSend: (body: Body<'inviteMember'>) => void;
  readonly onCancel: () => void;
}) {
  const own = useWorkspace()?.role;
  const [email, setEmail] = useState(begun?.email ?? '');
  const [role, setRole] = useState<Role>(begun?.role ?? 'viewer');
  const [tried, setTried] = useState(false);
  const fault = email.trim() === '' ? 'Enter an e-mail address.' : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (fault === undefined) onSend({ email: email.trim(), role });
  };
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <Field
        label="E-mail address"
        error={(tried ? fault : undefined) ?? fieldError(error, 'email')}
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
      <ErrorNote error={error} fields={['email']} />
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" variant="primary" busy={busy}>
          Invite
        </Button>
      </DialogActions>
    </form>
  );
}
