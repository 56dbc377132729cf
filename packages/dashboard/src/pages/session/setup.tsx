import { type FormEvent, useState } from 'react';
import { useCall, useChange } from '../../api/calls.ts';
import { Button } from '../../components/buttons/button.tsx';
import { ErrorNote, fieldError } from '../../components/feedback/error-state.tsx';
import { SkeletonLines } from '../../components/feedback/skeleton.tsx';
import { Time } from '../../components/values/time.tsx';
import { newPasswordFault } from '../../lib/password.ts';
import { useParam } from '../../navigation/navigation.tsx';
import { CodeField, EmailField, NewPasswordField } from './credentials.tsx';
import { LinkFault } from './link-fault.tsx';
import { SignInLayout } from './sign-in-layout.tsx';
import { useFinishSignIn } from './use-finish-sign-in.ts';

/** The first sign-in on a new server. The holder of the link that the server printed becomes the owner. */
export function SetupPage() {
  const token = useParam('token');
  const link = useCall('retrieveSetupLink', { params: { token } });
  if (link.error !== null) {
    return (
      <SignInLayout title="Set up Till">
        <LinkFault
          error={link.error}
          onRetry={() => void link.refetch()}
          advice="It works once and for 24 hours. The operator of this server makes a new one with the command “./till users setup-link”."
        />
      </SignInLayout>
    );
  }
  return (
    <SignInLayout
      title="Set up Till"
      description={
        link.data !== undefined && (
          <>
            You become the owner of {link.data.accounts.map(({ name }) => name).join(' and ')}. The link works
            until <Time at={link.data.expires_at} />.
          </>
        )
      }
    >
      {link.data === undefined ? <SkeletonLines of="the link" /> : <SetupForm token={token} />}
    </SignInLayout>
  );
}

function SetupForm({ token }: { readonly token: string }) {
  const enter = useFinishSignIn();
  const setup = useChange('completeSetup');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [asked, setAsked] = useState(false);
  const [tried, setTried] = useState(false);
  const faults = {
    email: email.trim() === '' ? 'Enter your e-mail address.' : undefined,
    password: newPasswordFault(password),
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (setup.isPending || faults.email !== undefined || faults.password !== undefined) return;
    setup.mutate(
      { body: { token, email: email.trim(), password, ...(code === '' ? {} : { code: code.trim() }) } },
      {
        onSuccess: (session) => enter(session),
        onError: (error) => setAsked(asked || error.code === 'code_required'),
      },
    );
  };
  const faultOf = (field: 'email' | 'password') =>
    (tried ? faults[field] : undefined) ?? fieldError(setup.error, field);
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <EmailField value={email} onChange={setEmail} error={faultOf('email')} />
      <NewPasswordField value={password} onChange={setPassword} error={faultOf('password')} />
      {asked && (
        <CodeField recovery={false} value={code} onChange={setCode} error={fieldError(setup.error, 'code')} />
      )}
      <ErrorNote error={setup.error} fields={['email', 'password', 'code']} />
      <Button type="submit" variant="primary" busy={setup.isPending} className="mt-1 w-full">
        Create the owner and sign in
      </Button>
    </form>
  );
}
