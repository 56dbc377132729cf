import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState, useSyncExternalStore } from 'react';
import { cacheKey, useChange } from '../api/calls.ts';
import { useSession } from '../api/session.ts';
import { Button } from '../components/buttons/button.tsx';
import { ErrorNote, fieldError } from '../components/feedback/error-state.tsx';
import { Field } from '../components/forms/field.tsx';
import { TextInput } from '../components/forms/inputs.tsx';
import { Dialog, DialogActions } from '../components/overlays/dialog.tsx';
import { createStore } from '../lib/browser/store.ts';

type Answered = (confirmed: boolean) => void;
const waiting = createStore<readonly Answered[]>([]);

/** Asks the person for their password. Calls that wait at the same time share one dialog. @returns whether they gave it */
export const askToConfirm = (): Promise<boolean> =>
  new Promise((resolve) => waiting.set([...waiting.get(), resolve]));

function settle(confirmed: boolean): void {
  const all = waiting.get();
  waiting.set([]);
  for (const answered of all) answered(confirmed);
}

/** Rendered once; opens when the server asks for the password again. */
export function ConfirmIdentity() {
  const open = useSyncExternalStore(waiting.subscribe, waiting.get).length > 0;
  return (
    <Dialog
      open={open}
      onClose={() => settle(false)}
      title="Confirm it is you"
      description="This reveals or changes something important. Your password is asked for once in 10 minutes."
    >
      <ConfirmForm />
    </Dialog>
  );
}

function ConfirmForm() {
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
          settle(true);
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
        <Button onClick={() => settle(false)}>Cancel</Button>
        <Button type="submit" variant="primary" busy={confirm.isPending}>
          Confirm
        </Button>
      </DialogActions>
    </form>
  );
}
