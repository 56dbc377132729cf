import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { cacheKey, useChange } from '../../../api/calls.ts';
import { useSession } from '../../../api/session.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { ErrorNote, fieldError } from '../../../components/feedback/error-state.tsx';
import { toast } from '../../../components/feedback/toasts.tsx';
import { Field } from '../../../components/forms/field.tsx';
import { TextInput } from '../../../components/forms/inputs.tsx';
import { Card } from '../../../components/layout/card.tsx';
import { Time } from '../../../components/values/time.tsx';
import { minPasswordLength, newPasswordFault } from '../../../lib/password.ts';

/** Changes the password, which ends all other sessions. */
export function PasswordCard({ changedAt }: { readonly changedAt: string }) {
  const email = useSession().data?.user.email;
  const form = usePasswordForm();
  return (
    <Card
      title="Password"
      description={
        <>
          Last changed <Time at={changedAt} />. A change ends all your other sessions.
        </>
      }
    >
      <form onSubmit={form.submit} noValidate className="flex max-w-md flex-col gap-4">
        <input type="hidden" name="username" autoComplete="username" value={email ?? ''} />
        <Field label="Present password" error={form.faultOf('current_password')} required>
          <TextInput
            type="password"
            autoComplete="current-password"
            value={form.current}
            onChange={(event) => form.setCurrent(event.target.value)}
          />
        </Field>
        <Field
          label="New password"
          hint={`At least ${minPasswordLength} characters.`}
          error={form.faultOf('new_password')}
          required
        >
          <TextInput
            type="password"
            autoComplete="new-password"
            value={form.chosen}
            onChange={(event) => form.setChosen(event.target.value)}
          />
        </Field>
        <ErrorNote error={form.error} fields={['current_password', 'new_password']} />
        <div>
          <Button type="submit" busy={form.busy}>
            Change password
          </Button>
        </div>
      </form>
    </Card>
  );
}

function usePasswordForm() {
  const queries = useQueryClient();
  const change = useChange('changePassword', ['retrieveSecurity']);
  const [current, setCurrent] = useState('');
  const [chosen, setChosen] = useState('');
  const [tried, setTried] = useState(false);
  const faults = {
    current_password: current === '' ? 'Enter your present password.' : undefined,
    new_password: newPasswordFault(chosen),
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (change.isPending || Object.values(faults).some((fault) => fault !== undefined)) return;
    change.mutate(
      { body: { current_password: current, new_password: chosen } },
      {
        onSuccess(session) {
          queries.setQueryData(cacheKey('retrieveSession'), session);
          setCurrent('');
          setChosen('');
          setTried(false);
          toast('Password changed. All other sessions were ended.');
        },
      },
    );
  };
  return {
    current,
    setCurrent,
    chosen,
    setChosen,
    submit,
    busy: change.isPending,
    error: change.error,
    faultOf: (field: keyof typeof faults) =>
      (tried ? faults[field] : undefined) ?? fieldError(change.error, field),
  };
}
