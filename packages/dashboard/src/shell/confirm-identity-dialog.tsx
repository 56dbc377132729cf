import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { cacheKey, useChange } from '../api/calls.ts';
import { useSession } from '../api/session.ts';
import { Button } from '../components/buttons/button.tsx';
import { ErrorNote, fieldError } from '../components/feedback/error-state.tsx';
import { Field } from '../components/forms/field.tsx';
import { TextInput } from '../components/forms/inputs.tsx';
import { Dialog, DialogActions } from '../components/overlays/dialog.tsx';

interface Props {
  /** Called when the dialog closes, with whether the person gave their password. */
  readonly onSettled: (confirmed: boolean) => void;
}

/** Asks for the password, and for a code if the person has an authenticator. */
export const ConfirmIdentityDialog = ({ open, onSettled }: Props & { readonly open: boolean }) => (
  <Dialog
    open={open}
    onClose={() => onSettled(false)}
    title="Confirm it is you"
    description="This reveals or changes something important. Your password is asked for once in 10 minutes."
  >
    <ConfirmForm onSettled={onSettled} />
  </Dialog>
);

function ConfirmForm({ onSettled }: Props) {
  const queries = useQueryClient();
  const confirm = useChange('confirmSession');
  const user = useSession().data?.user;
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (confirm.isPending) return;
    confirm.mutate(
      { body: { password, ...(code === '' ? {} : { code }) } },
      {
        onSuccess(session) {
          queries.setQueryData(cacheKey('retrieveSession'), session);
          onSettled(true);
        },
      },
    );
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <input type="hidden" name="username" autoComplete="username" value={user?.email ?? ''} />
      <Field label="Password" error={fieldError(confirm.error, 'password')} required>
        <TextInput
          type="password"
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      </Field>
      {user?.totp_enabled === true && (
        <Field label="Code of your authenticator" hint="Or one of your recovery codes." required>
          <TextInput
            autoComplete="one-time-code"
            value={code}
            onChange={(event) => setCode(event.target.value)}
          />
        </Field>
      )}
      <ErrorNote error={confirm.error} fields={['password']} />
      <DialogActions>
        <Button onClick={() => onSettled(false)}>Cancel</Button>
        <Button type="submit" variant="primary" busy={confirm.isPending}>
          Confirm
        </Button>
      </DialogActions>
    </form>
  );
}
